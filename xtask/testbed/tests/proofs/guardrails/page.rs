//! The page `xtask/testbed/GUARDRAILS.md`: what the guardrails are, and what a server did with them, for people.
//!
//! Invariants: every row of every table is something that the server did; the committed page is what is written today.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::findings::{Findings, findings};
use super::objects::name;
use super::room;
use super::stage::{ANNOTATION, Verdict};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/GUARDRAILS.md");

pub(super) const POLICY: &str = "guardrails.gateway.networking.k8s.io";

/// An object that guardrails refuse.
pub(super) const PROBE: &str = concat!(
    r#"{"apiVersion":"gateway.networking.x-k8s.io/v1alpha1","kind":"XMesh","metadata":{"name":"probe"},"#,
    r#""spec":{"controllerName":"example.com/probe"}}"#
);

/// What came of a request.
fn outcome(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Passes => "accepted".to_owned(),
        Verdict::Refused(names) => {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            format!("refused: {}", names.join(", "))
        }
        Verdict::Other(said) => said.clone(),
    }
}

/// New objects: a row for each thing of a kind, versions joined where the answers are the same.
fn new_objects(findings: &Findings) -> String {
    let mut rows: BTreeMap<(String, String, String, String), Vec<String>> = BTreeMap::new();
    for asked in &findings.asked {
        let pair = &asked.user.pair;
        let [plain, open] = asked.verdicts().map(|verdict| outcome(&verdict));
        let key = (pair.crd.names.kind.to_string(), name(pair, &asked.user.only), plain, open);
        rows.entry(key).or_default().push(pair.version.name.to_string());
    }
    let mut text =
        "| resource | through | a new object uses | nobody allows it | it is allowed |\n|---|---|---|---|---|\n"
            .to_owned();
    for ((kind, name, plain, open), versions) in rows {
        let _ = writeln!(text, "| {kind} | {} | `{name}` | {plain} | {open} |", versions.join(", "));
    }
    text
}

fn stories(findings: &Findings) -> String {
    let mut text = "| request | answer |\n|---|---|\n".to_owned();
    for row in &findings.told {
        let _ = writeln!(text, "| {} | {} |", row.what, outcome(&Verdict::of(&row.answer)));
    }
    text
}

fn page(findings: &Findings) -> String {
    let command = "CRD_TESTBED_WRITE=1 cargo test -p crd-testbed --test proofs guardrails";
    let example = findings.asked.iter().find(|asked| asked.user.pair.crd.names.kind == "GRPCRoute");
    let example = example.expect("it has experimental fields").plain.message();
    format!(
        "# Guardrails\n\n\
         <!-- Written by `{command}` from what an API server did. -->\n\n\
         With the experimental bundle, every namespace of a cluster can use every experimental field. The guardrails take that back: a\n\
         ValidatingAdmissionPolicy that refuses objects which use what only experimental has, unless their namespace allows it. They come with\n\
         each release, generated from its two channels, and nobody has them who does not ask for them. With the standard bundle they never\n\
         refuse anything, since a server drops unknown fields before it asks a policy.\n\n\
         ## How to\n\n\
         ```sh\n\
         # Turn them on. A policy takes about a second to act: wait until an object is refused that is not kept either way.\n\
         kubectl apply -f guardrails.yaml\n\
         until kubectl create --dry-run=server -f - 2>&1 <<'PROBE' | grep {POLICY}\n\
         {PROBE}\n\
         PROBE\n\
         do sleep 1; done\n\
         # Allow experimental API in a namespace, and take that back. What uses it by then may stay.\n\
         kubectl annotate namespace NAMESPACE {ANNOTATION}=allowed\n\
         kubectl annotate namespace NAMESPACE {ANNOTATION}-\n\
         # Turn them off.\n\
         kubectl delete validatingadmissionpolicybinding,validatingadmissionpolicy {POLICY}\n\
         ```\n\n\
         An object that has no namespace allows itself, by the same annotation in its manifest; on any other it counts for nothing. So whoever\n\
         may write namespaces decides, or else whoever may write what is cluster-wide. The annotation counts with this value alone.\n\n\
         A refusal names every field that is in the way, and says what to do:\n\n\
         ```\n{example}\n```\n\n\
         ## What counts\n\n\
         * What is set in `spec`, in whatever version an object is written: fields, and values of enums. `null`, and what defaults put there, is\n\
         \x20 not set by anybody. Status, and the version itself, do not count.\n\
         * Of a resource that standard does not have, the making of objects. They can be changed freely after that.\n\
         * Each field for itself: an object that used one before may keep it, change it and use it in more places, and may not add another.\n\
         * Never: objects that are being deleted, updates that leave `spec` as it is, subresources. Finalizers, labels and status need nobody's\n\
         \x20 leave.\n\
         * One policy speaks for all resources, under a name without a version: that of a newer release takes its place as a whole, so no rule stays\n\
         \x20 behind that refuses what has become standard. A release whose experimental channel has nothing of its own brings none; delete it then.\n\
         * `failurePolicy: Fail`: what cannot be judged is refused, else a large object would be a way around. Allowed namespaces and the cases\n\
         \x20 above are let through before that could matter.\n\n\
         An HTTPRoute of the largest size that there can be is judged in full: every list at its maximum, with the experimental fields at the very end.\n\
         That holds on the oldest and newest Kubernetes that is supported, and would with every expression {} times as costly.\n\n\
         ## New objects\n\n{}\n\
         Every example manifest of the standard channel is accepted as it is, where nobody allows anything.\n\n\
         ## Requests over time\n\n\
         Routes are HTTPRoutes in a namespace that says nothing, where nothing else is said; those that are not new used `spec.rules[*].retry`\n\
         before the guardrails came.\n\n{}",
        room::TIMES,
        new_objects(findings),
        stories(findings),
    )
}

#[test]
fn the_page_says_what_happened() {
    let Some(findings) = findings() else { return };
    let expected = page(findings);
    if std::env::var_os("CRD_TESTBED_WRITE").is_some() {
        std::fs::write(PAGE, &expected).expect("the page is written");
    }
    let found = std::fs::read_to_string(PAGE).unwrap_or_default();
    assert!(
        found == expected,
        "xtask/testbed/GUARDRAILS.md is stale; `CRD_TESTBED_WRITE=1 cargo test -p crd-testbed --test proofs guardrails` writes it"
    );
}
