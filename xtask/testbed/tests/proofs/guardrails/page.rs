//! The page `docs/evidence/guardrails.md`: a description of the guardrails, and the answers of a server.
//!
//! Invariants: every row of a table is an answer of the server.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::pages::{compare, filled};

use super::findings::{Findings, findings};
use super::objects::name;
use super::policies::{ANNOTATION, Verdict};
use super::room;

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
    let example = findings.objects.iter().find(|object| object.user.pair.crd.names.kind == "GRPCRoute");
    let example = example.expect("it has experimental fields").plain.message();
    filled(
        include_str!("page.md"),
        &[
            ("policy", POLICY),
            ("probe", PROBE),
            ("annotation", ANNOTATION),
            ("example", example),
            ("times", &room::TIMES.to_string()),
            ("objects", &new_objects(findings)),
            ("requests", &stories(findings)),
        ],
    )
}

#[test]
fn the_page_is_up_to_date() {
    let Some(findings) = findings() else { return };
    compare(&page(findings), "evidence/guardrails.md", "guardrails");
}
