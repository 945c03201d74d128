//! The JSON document, and its schema.

use crd_compat::policy::Need;
use crd_compat::{Direction, Finding, Lowered, Proof, RequiredBump, Waived, Witness};
use crd_diagnostics::{Diagnostic, Format, SourceLine};
use crd_model::channel::Channel;
use serde_json::{Value, json};

use super::sample::{full, report};
use super::shape;
use crate::report::{Located, Report, github, render_diagnostics, sarif, text};

pub(super) fn schema() -> Value {
    serde_json::from_str(include_str!("../../../../cli/schemas/findings.json")).unwrap()
}

fn document(report: &Report) -> Value {
    json!(report.document())
}

/// The documents that there can be: full, empty, without a baseline, and refused.
fn documents() -> Vec<Value> {
    let mut bare = report(Vec::new(), None);
    bare.baseline = None;
    bare.candidate.version = None;
    bare.channels[0].skipped = Some("it has none".to_owned());
    let diagnostics = [Diagnostic::error("file::kind", "`a.yaml` is not a CRD").at_file("a.yaml")];
    let refused = render_diagnostics(&diagnostics, Format::Json);
    let refused = serde_json::from_str(&refused).unwrap();
    vec![document(&full()), document(&report(Vec::new(), Some(RequiredBump::Patch))), document(&bare), refused]
}

#[test]
fn every_document_has_the_documented_shape() {
    for document in documents() {
        assert_eq!(shape::errors(&schema(), &document), [] as [&str; 0]);
    }
}

/// A finding, read from a document.
fn read(value: &Value) -> Located {
    let text = |key: &str| value[key].as_str().unwrap().to_owned();
    let optional = |key: &str| value[key].as_str().map(str::to_owned);
    let required_bump = |value: &Value| RequiredBump::named(value.as_str().unwrap()).unwrap();
    let need = |word: &Value| Need::named(word.as_str().unwrap()).unwrap();
    Located {
        finding: Finding {
            rule: Box::leak(text("rule").into_boxed_str()),
            required_bump: required_bump(&value["requiredBump"]),
            lowered: optional("loweredBy").and_then(|word| Lowered::named(&word)),
            needs: value["needs"].as_array().unwrap().iter().map(need).collect(),
            warning: value["warning"].as_bool().unwrap(),
            channel: Channel::named(&text("channel")).unwrap(),
            crd: text("crd"),
            version: optional("version"),
            path: text("path"),
            before: value.get("before").cloned(),
            after: value.get("after").cloned(),
            direction: optional("direction").and_then(|word| Direction::named(&word)),
            grounds: Vec::new(),
            proof: optional("decidedBy").and_then(|word| Proof::named(&word)),
            message: text("message"),
            fix: optional("help"),
            witness: value["witness"].as_object().map(|witness| match witness["reason"].as_str() {
                Some(reason) => Witness::None(Box::leak(reason.to_owned().into_boxed_str())),
                None if witness["subresource"] == "status" => Witness::Status {
                    stored: Some(witness["stored"].clone()).filter(|stored| !stored.is_null()),
                    object: witness["object"].clone(),
                },
                None if !witness["stored"].is_null() => {
                    Witness::Update { old: witness["stored"].clone(), new: witness["object"].clone() }
                }
                None => Witness::Object(witness["object"].clone()),
            }),
            known: value["known"].as_bool().unwrap(),
            waived: value["waived"].as_object().map(|waived| Waived {
                to: required_bump(&waived["to"]),
                reason: waived["reason"].as_str().unwrap().to_owned(),
            }),
        },
        source: value["source"].as_object().map(|source| SourceLine {
            file: source["file"].as_str().unwrap().to_owned(),
            line: u32::try_from(source["line"].as_u64().unwrap()).unwrap(),
        }),
    }
}

/// Nothing is lost: the findings of a report can be read back, also those whose values are null or that have none.
#[test]
fn findings_are_read_back_as_they_were() {
    let mut report = full();
    report.findings[0].finding.before = Some(Value::Null);
    report.findings[0].finding.direction = Some(Direction::Neither);
    report.findings[1].finding.lowered = Some(Lowered::Alpha);
    let line = crd_diagnostics::json::line(&document(&report));
    assert_eq!(line.matches('\n').count(), 1);
    let document: Value = serde_json::from_str(&line).unwrap();
    let read = document["findings"].as_array().unwrap().iter().map(read).collect::<Vec<_>>();
    assert_eq!(read.iter().collect::<Vec<_>>(), report.ordered());
    assert_eq!(read.len(), report.findings.len());
    assert!(report.findings.iter().all(|located| read.contains(located)));
}

#[test]
fn the_document_contains_the_verdicts() {
    let document = document(&full());
    assert_eq!(
        json!({
            "verdict": document["verdict"], "without": document["verdictWithoutWaivers"], "permitted": document["permitted"],
            "needed": document["needed"], "fits": document["fits"], "channels": document["channels"],
            "baseline": document["baseline"], "first": document["findings"][0]["rule"],
        }),
        json!({
            "verdict": "refused", "without": "refused", "permitted": "minor", "needed": "v2.0.0", "fits": false,
            "channels": [
                {"channel": "standard", "checked": true, "reason": null, "verdict": "major"},
                {"channel": "experimental", "checked": true, "reason": null, "verdict": "refused"},
            ],
            "baseline": {"name": "v1.0.0", "version": "v1.0.0"}, "first": "type-changed",
        })
    );
}

/// The same findings in another order become the same bytes, in every format.
#[test]
fn the_order_of_findings_does_not_matter() {
    let formats = |report: &Report| {
        [
            text::render(report, 100, false),
            text::render(report, 100, true),
            github::render(report),
            crd_diagnostics::json::line(&document(report)),
            crd_diagnostics::json::line(&sarif::document(report)),
        ]
    };
    let mut report = full();
    let expected = formats(&report);
    for turn in 0..report.findings.len() {
        report.findings.rotate_left(1);
        if turn % 2 == 0 {
            report.findings.swap(0, 3);
        }
        // The line of a folded finding is that of its first place, so it goes with the finding.
        assert_eq!(formats(&report), expected);
    }
}
