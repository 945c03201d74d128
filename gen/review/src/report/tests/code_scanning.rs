//! SARIF.

use std::collections::BTreeSet;

use crd_compat::{Finding, RequiredBump, Waived};
use crd_diagnostics::{Diagnostic, Format};
use serde_json::{Value, json};

use super::sample::{added, at, finding, full, located, report};
use super::sarif_schema;
use crate::report::{Located, render_diagnostics, sarif};

fn results(document: &Value) -> &Vec<Value> {
    document["runs"][0]["results"].as_array().unwrap()
}

fn refused() -> String {
    let diagnostics = [Diagnostic::error("file::kind", "`a.yaml` is not a CRD").at_file("a.yaml")];
    render_diagnostics(&diagnostics, Format::Sarif)
}

#[test]
fn the_official_schema_agrees() {
    let mut bare = report(Vec::new(), None);
    bare.baseline = None;
    let mut foreign = report(vec![located(finding("foreign", RequiredBump::Minor, "", "", "it is new"))], None);
    foreign.findings[0].source = at("a b/ü:1.rs", 1);
    let reports = [full(), bare, foreign];
    let mut documents =
        reports.iter().map(|report| crd_diagnostics::json::line(&sarif::document(report))).collect::<Vec<_>>();
    documents.push(refused());
    let Some(errors) = sarif_schema::errors(&documents) else { return };
    assert_eq!(errors, [] as [&str; 0]);
    // A wrong one is found.
    let wrong = documents[0].replace("\"external\"", "\"internal\"");
    assert_ne!(wrong, documents[0]);
    let errors = sarif_schema::errors(&[wrong]).unwrap();
    assert!(errors.iter().any(|error| error.contains("\"internal\" is not one of")), "{errors:?}");
}

#[test]
fn a_result_says_everything() {
    let document = sarif::document(&full());
    let result = results(&document).iter().find(|result| result["ruleId"] == "type-changed").unwrap();
    let rules = document["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    let index = rules.iter().position(|rule| rule["id"] == "type-changed").unwrap();
    assert_eq!(
        *result,
        json!({
            "ruleId": "type-changed",
            "ruleIndex": index,
            "kind": "fail",
            "level": "error",
            "message": {"text": "things.example.com: experimental v1 status.features[*]: refused: the type was changed under the same name (\"string\" → \"struct\"). Fix: Choose another name, and give the old name a tombstone."},
            "locations": [{
                "physicalLocation": {
                    "artifactLocation": {"uri": "api/src/v1.rs", "uriBaseId": "%SRCROOT%"},
                    "region": {"startLine": 40},
                },
                "logicalLocations": [{
                    "name": "features[*]",
                    "fullyQualifiedName": "things.example.com/v1/status.features[*]",
                    "kind": "property",
                }],
            }],
            "partialFingerprints": {"crdChannels/v1": result["partialFingerprints"]["crdChannels/v1"]},
            "baselineState": "new",
            "properties": {
                "channel": "experimental", "requiredBump": "refused", "effectiveBump": "refused", "direction": "neither",
                "decides": true,
            },
        })
    );
}

/// What a viewer looks up is there: every rule by its index, a text in each, a place in each.
#[test]
fn results_and_rules_belong_together() {
    let document = sarif::document(&full());
    let rules = document["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    let ids = rules.iter().map(|rule| rule["id"].as_str().unwrap()).collect::<BTreeSet<_>>();
    assert_eq!(ids.len(), rules.len());
    let of_rules = results(&document).iter().filter(|result| result["ruleId"] != "crd-ignored").collect::<Vec<_>>();
    assert_eq!(of_rules.len(), full().findings.len() + full().problems.len());
    for result in &of_rules {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
    // Warnings about files have a place in the file.
    let others = results(&document).iter().filter(|result| result["ruleId"] == "crd-ignored").collect::<Vec<_>>();
    assert_eq!((others.len(), &others[0]["level"]), (full().warnings.len(), &json!("warning")));
    assert_eq!(others[0]["locations"][0]["physicalLocation"]["region"], json!({"startLine": 3, "startColumn": 5}));
    for result in of_rules.iter().filter(|result| !result["ruleId"].as_str().unwrap().contains("lost")) {
        assert!(result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"].is_string(), "{result}");
    }
    let level = |id: &str| rules.iter().find(|rule| rule["id"] == id).unwrap()["defaultConfiguration"]["level"].clone();
    assert_eq!(
        ["type-changed", "tightened", "graduated", "containment", "waiver-unused"].map(level),
        ["error", "warning", "note", "error", "error"].map(|word| json!(word))
    );
}

#[test]
fn levels_suppressions_and_what_is_known() {
    let document = sarif::document(&full());
    let of = |rule: &str| results(&document).iter().find(|result| result["ruleId"] == rule).unwrap();
    let levels = ["type-changed", "tightened", "name-removed", "default-added", "containment", "words", "stamps"]
        .map(|rule| (of(rule)["level"].as_str().unwrap(), of(rule)["kind"].as_str().unwrap()));
    assert_eq!(
        levels,
        [
            ("error", "fail"),
            ("error", "fail"),
            ("error", "fail"),
            ("warning", "fail"),
            ("warning", "fail"),
            ("note", "fail"),
            ("none", "informational"),
        ]
    );
    assert_eq!(of("containment")["baselineState"], "unchanged");
    assert_eq!(of("words")["baselineState"], "new");
    assert_eq!(
        of("name-removed")["suppressions"],
        json!([{
            "kind": "external", "status": "accepted", "justification": "no user ever stored it (issue 12)",
            "properties": {"waivedTo": "minor"},
        }])
    );
    assert!(results(&document).iter().filter(|result| result.get("suppressions").is_some()).count() == 1);

    // A waiver that does not lower it enough suppresses nothing.
    let mut report = full();
    report.permitted = Some(RequiredBump::Patch);
    let document = sarif::document(&report);
    let result = results(&document).iter().find(|result| result["ruleId"] == "name-removed").unwrap();
    assert_eq!((&result["level"], result.get("suppressions")), (&json!("error"), None));
    // Without a baseline nothing is new.
    report.baseline = None;
    assert!(results(&sarif::document(&report)).iter().all(|result| result.get("baselineState").is_none()));
}

/// Fingerprints differ for different findings, and do not depend on other findings, words, lines, waivers or the permitted bump.
#[test]
fn fingerprints_are_stable() {
    let prints = |findings: Vec<Located>, permitted| {
        let report = report(findings, permitted);
        let document = sarif::document(&report);
        let print = |result: &Value| result["partialFingerprints"]["crdChannels/v1"].as_str().unwrap().to_owned();
        results(&document).iter().map(print).collect::<Vec<_>>()
    };
    let first = added("v1", "spec.size");
    let alone = prints(vec![located(first.clone())], None);
    let changed = Finding {
        message: "in other words".to_owned(),
        fix: Some("fix".to_owned()),
        waived: Some(Waived { to: RequiredBump::None, reason: "r".to_owned() }),
        ..first.clone()
    };
    let moved = Located { finding: changed, source: at("b.rs", 9) };
    assert_eq!(prints(vec![moved], Some(RequiredBump::Patch)), alone);
    let full_report = full();
    let all = prints(full_report.findings.clone(), None);
    assert!(all.contains(&alone[0]));
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), full_report.findings.len());
    // Equal ones are counted.
    let twice = prints(vec![located(first.clone()), located(first)], None);
    assert_eq!(twice, [alone[0].clone(), alone[0].replace(":1", ":2")]);
}

#[test]
fn a_refusal_is_a_run_that_failed() {
    let document: Value = serde_json::from_str(&refused()).unwrap();
    let run = &document["runs"][0];
    assert_eq!(results(&document).len(), 0);
    assert_eq!(
        run["invocations"],
        json!([{
            "executionSuccessful": false,
            "toolExecutionNotifications": [{"level": "error", "message": {"text": "a.yaml: is not a CRD"}}],
        }])
    );
}
