//! `test`: the JSON document, and the line that runs all suites in `cargo test`. The rest is the session `test`.

use std::path::Path;

use crd_channels_cli::Exit;
use serde_json::{Value, json};

use crate::shape;
use crate::support::{Place, things};

/// A case that passes, one that fails in one channel, and one that applies to no minor.
const SUITE: &str = "apiVersion: things.example.com/v1
kind: Thing
base: { spec: {} }
cases:
- name: a limit
  set: { spec.size: 11 }
  refused: spec.size
- name: a volume
  set: { spec.volume: 1 }
- name: past
  kubernetes: \"1.20\"
";

fn document(place: &Place) -> (Exit, Value) {
    let ran = place.run(&things(), &["test", "--coverage", "--format", "json"]);
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    let schema = serde_json::from_str(include_str!("../schemas/suites.json")).unwrap();
    assert_eq!(shape::errors(&schema, &document), [] as [&str; 0]);
    (ran.exit, document)
}

#[test]
fn json_has_every_case_and_the_documented_shape() {
    let place = Place::new();
    place.write("thing.suite.yaml", SUITE);
    let (exit, document) = document(&place);
    assert_eq!((exit, &document["passed"]), (Exit::Findings, &json!(false)));
    let minors = json!(["1.33", "1.34", "1.35", "1.36", "1.37"]);
    assert_eq!((&document["kubernetes"], &document["channels"]), (&minors, &json!(["standard", "experimental"])));
    let failure = json!({
        "message": "the object has a field that the API does not have",
        "expected": ["the API has all fields of the object"],
        "answer": ["unknown field `spec.volume`"],
        "runs": [{"channel": "standard", "kubernetes": minors}],
    });
    assert_eq!(
        document["suites"],
        json!([{"file": "thing.suite.yaml", "name": "thing", "cases": [
            {"name": "a limit", "line": 5, "result": "passed", "failures": []},
            {"name": "a volume", "line": 8, "result": "failed", "failures": [failure]},
            {"name": "past", "line": 10, "result": "skipped", "failures": []},
        ]}])
    );
    // An error is in the document too.
    place.write("thing.suite.yaml", "cases: []");
    let (exit, document) = self::document(&place);
    assert_eq!((exit, &document["suites"], &document["summary"]), (Exit::Unusable, &json!([]), &Value::Null));
    assert_eq!(document["errors"][0]["code"], "suite::file");
}

/// A suite that asks nothing shows nothing, unless the user asked for a part.
#[test]
fn a_suite_whose_cases_are_all_skipped_is_not_green() {
    let suite = |key: &str| {
        format!(
            "apiVersion: things.example.com/v1\nkind: Thing\n{key}\nbase: {{ spec: {{ size: 1 }} }}\ncases:\n- name: a limit\n"
        )
    };
    let run = |suites: &[&str], arguments: &[&str]| {
        let place = Place::new();
        for (number, key) in suites.iter().enumerate() {
            place.write(&format!("{number}.suite.yaml"), suite(key));
        }
        let ran = place.run(&things(), &[&["test"], arguments].concat());
        assert_eq!(ran.exit == Exit::Findings, ran.out.contains("error[suite::skipped]: no case applies"), "{ran:?}");
        (ran.exit, ran.out.matches("error[suite::skipped]").count())
    };
    let (past, standard, any) = ("kubernetes: \"1.20\"", "channel: standard", "name: any");
    assert_eq!(run(&[past], &[]), (Exit::Findings, 1));
    assert_eq!(run(&[past, any], &[]), (Exit::Findings, 1));
    assert_eq!(run(&[past, past], &[]), (Exit::Findings, 2));
    assert_eq!(run(&[standard, any], &[]), (Exit::Fine, 0));
    assert_eq!(run(&[standard, any], &["--channel", "experimental"]), (Exit::Fine, 0));
    assert_eq!(run(&[standard], &["--channel", "experimental"]), (Exit::Findings, 1));
    assert_eq!(run(&[past, any], &["--kubernetes", "1.36"]), (Exit::Fine, 0));
    assert_eq!(run(&[past], &["--kubernetes", "1.36"]), (Exit::Findings, 1));
}

#[test]
fn mutants_that_no_case_notices_are_in_the_document() {
    let place = Place::new();
    let (passing, _) = SUITE.split_once("- name: a volume").unwrap();
    place.write("thing.suite.yaml", passing);
    let run = |more: &[&str]| {
        let arguments = ["test", "--format", "json", "--mutants", "--channel", "experimental"];
        let ran = place.run(&things(), &[&arguments[..], more].concat());
        let document: Value = serde_json::from_str(&ran.out).unwrap();
        let schema = serde_json::from_str(include_str!("../schemas/suites.json")).unwrap();
        assert_eq!(shape::errors(&schema, &document), [] as [&str; 0]);
        (ran.exit, document["mutants"].clone())
    };
    let (exit, mutants) = run(&["--mutant", "spec.size maxim"]);
    assert_eq!((exit, &mutants["killed"], &mutants["survived"]), (Exit::Fine, &json!(1), &json!(2)), "{mutants}");
    let unnoticed = &mutants["unnoticed"][0];
    assert_eq!((&unnoticed["path"], &unnoticed["verdict"]), (&json!("spec.size"), &json!("survived")));
    assert!(unnoticed["source"]["line"].is_u64(), "{unnoticed}");
    assert_eq!(run(&["--mutant", "spec.size maxim", "--min-score", "40"]).0, Exit::Findings);
}

#[test]
fn one_line_runs_the_suites_of_a_new_workspace() {
    let place = Place::new();
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").display().to_string();
    let new = place.run(&things(), &["new", "lamp-api", "--path", &repository]);
    assert_eq!(new.exit, Exit::Fine, "{new:?}");
    let package = place.path().join("lamp-api/api").display().to_string();
    let run = || crd_channels_cli::suites::run(&package);
    assert!(run().unwrap_err().contains("error[suite::none]: no suites are found"));
    let suite = "apiVersion: example.com/v1\nkind: LampApi\nbase: { spec: {} }\ncases:\n- name: no copies\n  set: { spec.replicas: 0 }\n";
    place.write("lamp-api/suites/lamp.suite.yaml", suite);
    assert_eq!(run(), Ok(()));
    place.write("lamp-api/suites/lamp.suite.yaml", format!("{suite}  refused: spec\n"));
    let report = run().unwrap_err();
    assert!(report.contains("error[suite::failed]: no copies: the object is accepted\n  --> "), "{report}");
    assert!(report.contains("\n0 cases passed, 1 failed in 1 suite ("), "{report}");
}
