//! Files of suites: reading, running and writing them.

use std::path::Path;
use std::sync::Arc;

use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_suite::{CaseResult, Kinds, Suite, read, run, yaml};
use serde_json::json;

/// A kind with a constraint, a rule, a default and a status.
pub(crate) fn things() -> Vec<Arc<CustomResourceDefinition>> {
    let spec = json!({
        "type": "object",
        "properties": {
            "size": {"type": "integer", "default": 1, "maximum": 9},
            "names": {"type": "array", "items": {"type": "string", "maxLength": 5}, "maxItems": 3},
            "mode": {"type": "string", "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "the mode is immutable"}]},
        },
    });
    let status = json!({"type": "object", "properties": {"ready": {"type": "boolean"}}});
    let schema = json!({"type": "object", "properties": {"spec": spec, "status": status}});
    let version = json!({"name": "v1", "served": true, "storage": true, "subresources": {"status": {}}, "schema": {"openAPIV3Schema": schema}});
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": "things", "kind": "Thing"}, "versions": [version]},
    });
    vec![Arc::new(CustomResourceDefinition::from_value(&crd).unwrap())]
}

/// The beginning of every suite of things.
const HEAD: &str = "apiVersion: example.com/v1\nkind: Thing\nbase: { spec: { mode: a, names: [one] } }\ncases:\n";

fn suite(cases: &str) -> Suite {
    read(&format!("{HEAD}{cases}"), Path::new("things.suite.yaml")).unwrap()
}

fn results(suite: &Suite) -> Vec<CaseResult> {
    run(suite, &Kinds::prepare(&things(), 36).unwrap(), Channel::Standard, 36).collect()
}

/// The failure of one case in words; empty if it passes.
fn failure(case: &str) -> String {
    let suite = suite(&format!("- name: a case\n{case}"));
    let results = results(&suite);
    let failure = results[0].failure.clone();
    failure
        .map(|failure| format!("{}: {} ≠ {}", failure.message, failure.expected.join(", "), failure.answer.join(", ")))
        .unwrap_or_default()
}

#[test]
fn each_form_of_expectation_passes_and_fails() {
    let cases = [
        ("  set: { spec.size: 9 }", ""),
        (
            "  set: { spec.size: 10 }",
            "the object is refused: the object is accepted ≠ spec.size: Invalid value: 10: spec.size in body should be less than or equal to 9",
        ),
        ("  set: { spec.size: 10 }\n  refused: \"spec.size: Invalid value\"", ""),
        ("  set: { spec.size: 9 }\n  refused: spec.size", "the object is accepted: spec.size ≠ the object is accepted"),
        (
            "  set: { spec.size: 10 }\n  refused: spec.mode",
            "the object is refused for another reason: spec.mode ≠ spec.size: Invalid value: 10: spec.size in body should be less than or equal to 9",
        ),
        ("  set: { spec.size: 10, \"spec.names[0]\": too long }\n  refused: [spec.size, \"names[0]: Too long\"]", ""),
        (
            "  set: { spec.size: 10, \"spec.names[0]\": too long }\n  refused: spec.size",
            "the object is refused for one more reason: spec.size ≠ spec.names[0]: Too long: may not be more than 5 bytes, spec.size: Invalid value: 10: spec.size in body should be less than or equal to 9",
        ),
        ("  accepted: { spec.size: 1 }", ""),
        ("  accepted: { spec.size: 2, spec.mode: a }", "the stored form differs: spec.size: 2 ≠ spec.size: 1"),
        ("  set: { spec.typo: 1 }\n  accepted: { spec.typo: null }", ""),
        (
            "  set: { spec.typo: 1 }",
            "the object has a field that the API does not have: the API has all fields of the object ≠ unknown field `spec.typo`",
        ),
        ("  set: { spec.typo: 1 }\n  warnings: [spec.typo]", ""),
        (
            "  set: { spec.typo: 1 }\n  warnings: []",
            "the warnings differ: the answer has no warnings ≠ unknown field \"spec.typo\"",
        ),
        ("  stored: { spec: { size: 1, mode: a, names: [one] } }", ""),
        (
            "  stored: { spec: { mode: b, names: [one, two] } }",
            "the stored form differs: spec.mode: \"b\", spec.size: absent, spec.names[1]: \"two\" ≠ spec.mode: \"a\", spec.size: 1, spec.names[1]: absent",
        ),
        ("  old: { set: { spec.mode: b } }\n  refused: the mode is immutable", ""),
        ("  old: { set: { spec.size: 2 } }", ""),
        ("  status: true\n  set: { status.ready: true }\n  accepted: { status.ready: true, spec.mode: a }", ""),
        ("  status: true\n  set: { status.ready: 1 }\n  refused: status.ready", ""),
        ("  set: { status.ready: true }\n  accepted: { status: null }", ""),
        ("  set: { spec.names: { $repeat: [[n%], 4] } }\n  refused: \"spec.names: Too many: 4\"", ""),
        ("  remove: [spec.mode, \"spec.names[0]\"]\n  accepted: { spec.mode: null, spec.names: [] }", ""),
        ("  set: { metadata: 5 }\n  old: {}\n  refused: metadata", ""),
        ("  old: { set: { metadata: [] } }\n  refused: metadata", ""),
        ("  set: { kind: Other }", "the CRDs do not serve Other of example.com/v1:  ≠ "),
    ];
    for (case, expected) in cases {
        assert_eq!(failure(case), expected, "{case}");
    }
}

#[test]
fn what_is_written_reads_back_as_the_same_cases() {
    let cases = "\
- name: one
  set: { spec.size: 9, \"metadata.annotations[\\\"example.com/a\\\"]\": b }
- name: two
  channel: experimental
  kubernetes: 1.34..1.36
  set: { \"spec.names[1]\": { $repeat: [a, 100] }, spec.size: 10 }
  refused: [Too long, spec.size]
- name: three
  old: { remove: [spec.mode], set: { spec.names: { $repeat: [[\"n%\"], 40] } } }
  accepted: { spec.size: 1, spec.typo: null }
- name: four
  status: true
  set: { status.ready: true }
  stored: { spec: {} }
  warnings: []
";
    let suite = suite(cases);
    let text = yaml(&suite);
    let mut again = read(&text, Path::new("things.suite.yaml")).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    for (case, own) in again.cases.iter_mut().zip(&suite.cases) {
        case.line = own.line;
    }
    assert_eq!(again, suite, "{text}");
    assert!(text.contains("$repeat: [a, 100]"), "{text}");
}

#[test]
fn a_suite_of_openshift_has_a_case_for_each_request() {
    let text = "\
apiVersion: apiextensions.k8s.io/v1
name: Thing
crdName: things.example.com
tests:
  onCreate:
  - name: fills in the size
    initial: |
      apiVersion: example.com/v1
      kind: Thing
      spec: { mode: a }
    expected: |
      apiVersion: example.com/v1
      kind: Thing
      spec: { mode: a, size: 1 }
  - name: the size has a limit
    initial: |
      apiVersion: example.com/v1
      kind: Thing
      spec: { size: 10 }
    expectedError: 'is invalid: spec.size: Invalid value: 10'
  onUpdate:
  - name: the status is written apart
    initial: |
      apiVersion: example.com/v1
      kind: Thing
      spec: { mode: a, size: 1 }
      status: { ready: false }
    updated: |
      apiVersion: example.com/v1
      kind: Thing
      spec: { mode: a, size: 2 }
      status: { ready: true }
";
    let suite = read(text, Path::new("thing.yaml")).unwrap();
    let names = suite.cases.iter().map(|case| (case.name.as_str(), case.line)).collect::<Vec<_>>();
    let update = "the status is written apart";
    let expected = [
        ("fills in the size".to_owned(), 6),
        ("the size has a limit".to_owned(), 15),
        (format!("{update} (creation)"), 22),
        (format!("{update} (first status)"), 22),
        (update.to_owned(), 22),
        (format!("{update} (status)"), 22),
    ];
    assert_eq!(names, expected.iter().map(|(name, line)| (name.as_str(), *line)).collect::<Vec<_>>());
    let failures = results(&suite).into_iter().filter_map(|result| result.failure).collect::<Vec<_>>();
    assert_eq!(failures, []);
    assert_eq!(suite.cases[5].old.as_ref().map(|old| &old["status"]), Some(&json!({"ready": false})));
    assert_eq!(suite.selection.map(|selection| selection.crd), Some("things.example.com".to_owned()));
}
