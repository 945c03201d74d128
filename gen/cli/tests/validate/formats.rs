//! The formats of the result. Every format contains every finding.

use std::collections::BTreeMap;

use super::{CRD, Printed, place, run, widget};
use crate::shape;
use crd_channels_cli::Exit;
use serde_json::{Value, json};

/// An object with a finding, an accepted one, a skipped one, and a document that is not an object.
fn mixed() -> String {
    let second = widget("{size: 1}").replace("name: a", "name: b").replace("/v1\n", "/v1alpha1\n");
    format!(
        "{}---\n{second}---\napiVersion: v1\nkind: Service\nmetadata: {{name: s, namespace: x}}\n---\n- 1\n",
        widget("{size: 11}")
    )
}

fn validate(text: &str, arguments: &[&str]) -> Printed {
    run(&place(text), b"", &[&["in.yaml", "--crds", "crd.yaml"], arguments].concat())
}

fn document(printed: &Printed) -> Value {
    let document: Value = serde_json::from_str(&printed.out).unwrap();
    let schema = serde_json::from_str(include_str!("../../schemas/validation.json")).unwrap();
    assert_eq!(shape::errors(&schema, &document), [] as [&str; 0]);
    document
}

#[test]
fn json_has_every_object_and_the_documented_shape() {
    let printed = validate(&mixed(), &["--format", "json"]);
    assert_eq!((printed.exit, &*printed.err), (Exit::Unusable, ""));
    let document = document(&printed);
    assert_eq!(document["valid"], false);
    assert_eq!(document["kubernetes"], json!(["1.33", "1.34", "1.35", "1.36", "1.37"]));
    assert_eq!(document["skipped"], json!([{"apiVersion": "v1", "kind": "Service", "objects": 1}]));
    assert_eq!(document["summary"], "1 object is valid, 1 refused, 1 skipped (Kubernetes 1.33 to 1.37)");
    let verdicts = document["objects"].as_array().unwrap().iter().map(|object| &object["verdict"]).collect::<Vec<_>>();
    assert_eq!(verdicts, ["refused", "accepted", "skipped"]);
    let mut first = document["objects"][0].clone();
    let findings = first["findings"].take();
    assert_eq!(findings.as_array().unwrap().len(), 1);
    for (key, value) in [
        ("code", json!("object::invalid")),
        ("severity", json!("error")),
        ("reason", json!("FieldValueInvalid")),
        ("fieldPath", json!("spec.size")),
        ("message", json!("spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10")),
        ("help", Value::Null),
        ("line", json!(5)),
        ("column", json!(8)),
        ("object", json!({"kind": "Widget", "namespace": "default", "name": "a"})),
        ("kubernetes", json!(["1.33", "1.34", "1.35", "1.36", "1.37"])),
    ] {
        assert_eq!(findings[0][key], value, "{key}");
    }
    assert_eq!(
        first,
        json!({
            "file": "in.yaml", "line": 1, "column": 1, "apiVersion": "example.com/v1", "kind": "Widget", "namespace": "default",
            "name": "a", "operation": "create", "verdict": "refused", "findings": null, "stored": null,
        })
    );
    assert_eq!(document["objects"][2]["namespace"], "x");
    let error = &document["errors"][0];
    assert_eq!(
        (&error["code"], &error["line"], &error["column"]),
        (&json!("object::not-an-object"), &json!(17), &json!(1))
    );
}

#[test]
fn json_has_the_stored_objects_and_the_operation() {
    let place = place(&widget("{size: 2}"));
    place.write(
        "old.yaml",
        format!("{}---\n{}", widget("{size: 1}"), widget("{size: 1}").replace("name: a", "name: z")),
    );
    let arguments = ["in.yaml", "--crds", "crd.yaml", "--old", "old.yaml", "--stored", "--format", "json"];
    let document = document(&run(&place, b"", &arguments));
    assert_eq!((&document["valid"], &document["objects"][0]["operation"]), (&json!(true), &json!("update")));
    assert_eq!(document["objects"][0]["stored"]["spec"], json!({"size": 2, "mode": "a"}));
    assert_eq!(document["warnings"][0]["code"], "object::unmatched");
}

/// Without CRDs, the document has errors only.
#[test]
fn json_has_the_same_keys_if_validation_is_not_possible() {
    let printed = run(&place(""), b"", &["in.yaml", "--crds", "in.yaml", "--format", "json"]);
    assert_eq!((printed.exit, &*printed.err), (Exit::Unusable, ""));
    let document = document(&printed);
    assert_eq!((&document["objects"], &document["errors"][0]["code"]), (&json!([]), &json!("no-crds")));
}

#[test]
fn github_gets_an_annotation_at_each_line() {
    let printed = validate(&mixed(), &["--format", "github"]);
    assert_eq!(printed.err, "");
    assert_eq!(
        printed.out.lines().collect::<Vec<_>>(),
        [
            "::error file=in.yaml,line=17,col=1,title=object%3A%3Anot-an-object::this is a list, not a Kubernetes object%0Ahelp: an object has \
             `apiVersion`, `kind` and `metadata`",
            "::error file=in.yaml,line=5,col=8,title=object%3A%3Ainvalid::Widget default/a: spec.size: Invalid value: 11: spec.size in body \
             should be less than or equal to 10",
            "::warning file=in.yaml,line=7,col=1,title=object%3A%3Awarning::Widget default/b: example.com/v1alpha1 Widget is deprecated",
            "1 object is valid, 1 refused, 1 skipped (Kubernetes 1.33 to 1.37)",
            super::NOT_CHECKED.trim_start_matches("note: ").trim_end(),
        ]
    );
}

#[test]
fn sarif_has_a_result_for_each_finding_and_a_rule_for_each_code() {
    let printed = validate(&mixed(), &["--format", "sarif"]);
    assert_eq!(printed.err, "");
    let log: Value = serde_json::from_str(&printed.out).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    let results = run["results"].as_array().unwrap();
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
    assert_eq!(
        results.iter().map(|result| &result["ruleId"]).collect::<Vec<_>>(),
        ["object::invalid", "object::warning"]
    );
    let location = &results[0]["locations"][0];
    assert_eq!(location["physicalLocation"]["region"], json!({"startLine": 5, "startColumn": 8}));
    assert_eq!(location["logicalLocations"][0]["fullyQualifiedName"], "Widget/default/a");
    let invocation = &run["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let notifications = invocation["toolExecutionNotifications"].as_array().unwrap();
    let texts =
        notifications.iter().map(|notification| notification["message"]["text"].as_str().unwrap()).collect::<Vec<_>>();
    assert!(texts[0].starts_with("in.yaml:17:1: this is a list"), "{texts:?}");
    // The same findings have the same fingerprints in another order of objects.
    let fingerprints = |out: &str| {
        let log: Value = serde_json::from_str(out).unwrap();
        let results = log["runs"][0]["results"].as_array().unwrap().clone();
        results
            .into_iter()
            .map(|mut result| (result["message"]["text"].to_string(), result["partialFingerprints"].take()))
            .collect::<BTreeMap<_, _>>()
    };
    let moved = validate(&format!("# moved\n\n{}", mixed()), &["--format", "sarif"]);
    assert_eq!(fingerprints(&printed.out), fingerprints(&moved.out));
}

#[test]
fn junit_has_a_case_for_each_object() {
    let printed = validate(&mixed(), &["--format", "junit"]);
    assert_eq!(printed.err, "");
    let lines =
        printed.out.lines().filter(|line| line.trim_start().starts_with('<')).map(str::trim).collect::<Vec<_>>();
    for expected in [
        "<testsuites name=\"validate\" tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\">",
        "<testsuite name=\"in.yaml\" tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\">",
        "<testcase name=\"Widget default/a\" classname=\"in.yaml\" file=\"in.yaml\" line=\"1\">",
        "<testcase name=\"Widget default/b\" classname=\"in.yaml\" file=\"in.yaml\" line=\"7\">",
        "<skipped message=\"no CRD has its kind\"/>",
        "<testcase name=\"document\" classname=\"in.yaml\" file=\"in.yaml\" line=\"17\">",
    ] {
        assert!(lines.contains(&expected), "{expected}: {lines:#?}");
    }
    // A CRD that is not valid is an error next to the suites of the files.
    let place = place(&widget("{size: 1}"));
    place.write("crd.yaml", CRD.replace("enum: [a, b]", "enum: [b]"));
    let printed = run(&place, b"", &["in.yaml", "--crds", "crd.yaml", "--format", "junit"]);
    assert!(
        printed.out.contains("<testsuite name=\"inputs\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\">"),
        "{}",
        printed.out
    );
    assert!(printed.out.contains("<skipped message=\"its CRD is not valid\"/>"), "{}", printed.out);
}

/// An XML parser of another project reads the document, with text that XML must escape.
#[test]
fn python_reads_the_xml() {
    let text =
        widget("{size: 1, mode: '<&\"\\u0001]]>'}").replace("'<", "\"<").replace(">'", ">\"").replace("&\"", "&'");
    let printed = validate(&text, &["--format", "junit"]);
    assert_eq!(printed.exit, Exit::Findings, "{}", printed.out);
    let script = "import sys, xml.etree.ElementTree as tree\nfailure = tree.fromstring(sys.stdin.read()).find('.//failure')\nprint(failure.get('message'))";
    let mut python = match std::process::Command::new("python3")
        .args(["-c", script])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
    {
        Ok(python) => python,
        Err(error) => return println!("skipped: no python3: {error}"),
    };
    std::io::Write::write_all(python.stdin.as_mut().unwrap(), printed.out.as_bytes()).unwrap();
    let output = python.wait_with_output().unwrap();
    let message = String::from_utf8(output.stdout).unwrap();
    assert!(message.starts_with("spec.mode: Unsupported value: \"<&'"), "{message}");
}
