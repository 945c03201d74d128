//! The page `docs/evidence/guardrails.md`: a description of the guardrails, and the answers of a server.
//!
//! Invariants: every row of a table is an answer of the server. The committed page is up to date.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::findings::{Findings, findings};
use super::objects::name;
use super::policies::{ANNOTATION, Verdict};
use super::room;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/evidence/guardrails.md");

pub(super) const POLICY: &str = "guardrails.gateway.networking.k8s.io";

/// An object that guardrails refuse.
pub(super) const PROBE: &str = concat!(
    r#"{"apiVersion":"gateway.networking.x-k8s.io/v1alpha1","kind":"XMesh","metadata":{"name":"probe"},"#,
    r#""spec":{"controllerName":"example.com/probe"}}"#
);

/// The answer to a request, in words.
fn outcome(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Passes => "accepted".to_owned(),
        Verdict::Refused(names) => {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            format!("refused: {}", names.join(", "))
        }
        Verdict::Other(text) => text.clone(),
    }
}

/// New objects: a row for each experimental field or value of a kind; versions with equal answers are joined.
fn new_objects(findings: &Findings) -> String {
    let mut rows: BTreeMap<(String, String, String, String), Vec<String>> = BTreeMap::new();
    for object in &findings.objects {
        let pair = &object.user.pair;
        let [plain, open] = object.verdicts().map(|verdict| outcome(&verdict));
        let key = (pair.crd.names.kind.to_string(), name(pair, &object.user.only), plain, open);
        rows.entry(key).or_default().push(pair.version.name.to_string());
    }
    let mut text =
        "| resource | versions | a new object uses | without the annotation | allowed |\n|---|---|---|---|---|\n"
            .to_owned();
    for ((kind, name, plain, open), versions) in rows {
        let _ = writeln!(text, "| {kind} | {} | `{name}` | {plain} | {open} |", versions.join(", "));
    }
    text
}

fn stories(findings: &Findings) -> String {
    let mut text = "| request | answer |\n|---|---|\n".to_owned();
    for row in &findings.rows {
        let _ = writeln!(text, "| {} | {} |", row.what, outcome(&Verdict::of(&row.answer)));
    }
    text
}

fn page(findings: &Findings) -> String {
    let command = "CRD_TESTBED_WRITE=1 cargo test -p crd-testbed --test proofs guardrails";
    let example = findings.objects.iter().find(|object| object.user.pair.crd.names.kind == "GRPCRoute");
    let example = example.expect("it has experimental fields").plain.message();
    format!(
        "# Guardrails\n\n\
         <!-- Written by `{command}` from the answers of an API server. -->\n\n\
         With the experimental bundle, every namespace of a cluster can use every experimental field. The guardrails restrict this. They are a\n\
         ValidatingAdmissionPolicy that refuses objects with experimental fields or values, unless their namespace allows them. Each release\n\
         contains guardrails, generated from its two channels. Their installation is optional. With the standard bundle they never refuse an\n\
         object, because a server drops unknown fields before it evaluates policies.\n\n\
         ## Usage\n\n\
         ```sh\n\
         # Enable them. A policy becomes active after about a second: wait until a dry run is refused.\n\
         kubectl apply -f guardrails.yaml\n\
         until kubectl create --dry-run=server -f - 2>&1 <<'PROBE' | grep {POLICY}\n\
         {PROBE}\n\
         PROBE\n\
         do sleep 1; done\n\
         # Allow experimental API in a namespace, and revoke that. Objects that already use it may keep it.\n\
         kubectl annotate namespace NAMESPACE {ANNOTATION}=allowed\n\
         kubectl annotate namespace NAMESPACE {ANNOTATION}-\n\
         # Disable them.\n\
         kubectl delete validatingadmissionpolicybinding,validatingadmissionpolicy {POLICY}\n\
         ```\n\n\
         A cluster-scoped object allows itself, by the same annotation in its manifest; the annotation has no effect on namespaced objects. So\n\
         users who may write namespaces decide, or users who may write cluster-scoped objects. Only this value of the annotation counts.\n\n\
         A refusal names every experimental field and the command that allows them:\n\n\
         ```\n{example}\n```\n\n\
         ## Rules\n\n\
         * The policy checks fields and enum values in `spec`, in every version. `null` and values from defaults do not count. Status and the\n\
         \x20 version of the request do not count either.\n\
         * For a resource that standard does not have, the policy checks the creation of objects. Later changes are accepted.\n\
         * Each field is checked separately: an object that used a field before may keep it, change it and use it in more places, but may not\n\
         \x20 add another experimental field.\n\
         * The policy never refuses updates of objects that are being deleted, updates that do not change `spec`, and writes to subresources. So\n\
         \x20 finalizers, labels and status can always be written.\n\
         * One policy covers all resources, and its name has no version. The policy of a newer release replaces it completely, so no rule remains\n\
         \x20 that refuses graduated fields. A release without experimental fields has no guardrails; delete the policy then.\n\
         * `failurePolicy: Fail`: an object that cannot be checked is refused. Otherwise very large objects would avoid the policy. Allowed\n\
         \x20 namespaces and the cases above are accepted before such a check.\n\n\
         The largest possible HTTPRoute is checked completely: every list at its maximum, and the experimental fields at the end. This works on\n\
         the oldest and the newest supported Kubernetes, even if every expression costs {} times as much.\n\n\
         ## New objects\n\n{}\n\
         Every example manifest of the standard channel is accepted unchanged in a namespace without the annotation.\n\n\
         ## Requests over time\n\n\
         Unless a row states otherwise, the object is an HTTPRoute in a namespace without the annotation. Existing routes used\n\
         `spec.rules[*].retry` before the guardrails were installed.\n\n{}",
        room::TIMES,
        new_objects(findings),
        stories(findings),
    )
}

#[test]
fn the_page_is_up_to_date() {
    let Some(findings) = findings() else { return };
    let expected = page(findings);
    if std::env::var_os("CRD_TESTBED_WRITE").is_some() {
        std::fs::write(PAGE, &expected).expect("the page is written");
    }
    let found = std::fs::read_to_string(PAGE).unwrap_or_default();
    assert!(
        found == expected,
        "docs/evidence/guardrails.md is stale; `CRD_TESTBED_WRITE=1 cargo test -p crd-testbed --test proofs guardrails` writes it"
    );
}
