//! Tests of the validator: each keyword, the server's oddities, and every manifest that is published with Gateway API.
//!
//! The verdicts of the cases were compared with those of the server's own packages (Kubernetes 1.36).

use std::collections::BTreeMap;

use serde_json::json;

use super::*;
use crd_model::crd::CustomResourceDefinition;
use crd_model::schema::Schema;

fn validated(subject: Subject, schema: &Schema, value: &Value) -> Vec<Violation> {
    let patterns = Patterns::default();
    let matches = |pattern: &str, text: &str| patterns.matches(pattern, text);
    Validator { matches: &matches, subject }.validate(schema, value)
}

#[test]
fn cases_have_their_violations() {
    let mut checked = 0;
    for line in include_str!("cases.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let schema = Schema::from_value(&case["schema"]).unwrap();
        let subject = match case["subject"].as_str() {
            None => Subject::Part,
            Some("Default") => Subject::Default,
            Some("Resource") => Subject::Resource,
            Some(other) => panic!("{other}"),
        };
        let list = |name: &str| case[name].as_array().cloned().unwrap_or_default();
        let good = list("good").into_iter().map(|value| vec![value]);
        for row in good.chain(list("bad").into_iter().map(|row| row.as_array().unwrap().clone())) {
            let found = validated(subject, &schema, &row[0]);
            let found = found.iter().map(|violation| format!("{:?} {}", violation.kind, violation.path));
            let found: Vec<String> = found.map(|text| text.trim_end().to_owned()).collect();
            assert_eq!(found, row[1..], "{}: {}", case["about"], row[0]);
            checked += 1;
        }
    }
    assert!(checked > 100, "{checked} values");
}

#[test]
fn violations_are_put_in_words() {
    let schema = json!({"type": "object", "properties": {
        "a": {"type": "string", "pattern": "^b|\\pLx"},
        "any": {"anyOf": [{"minLength": 2}, {"enum": ["b"]}]},
        "map": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k", "l"], "items": {
            "type": "object", "properties": {"k": {"type": "string"}, "l": {"type": "string"}}}},
        "number": {"type": "integer", "minimum": 1, "exclusiveMinimum": true, "multipleOf": 2},
    }});
    let value = json!({"a": "ab", "any": "a", "map": [{"k": "x"}, {"k": "x"}], "number": -1});
    let violations = validated(Subject::Part, &Schema::from_value(&schema).unwrap(), &value);
    let texts: Vec<String> = violations.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            r#"a: "ab" does not match the pattern ^b|\pLx"#,
            r#"any: none of the alternatives of anyOf holds (any: 1 characters are fewer than minLength 2; any: "a" is not one of "b")"#,
            "number: -1 is not a multiple of 2",
            "number: -1 is beyond the exclusive minimum 1",
            r#"map[1]: "x",(absent) is in the list already"#,
        ]
    );
}

#[test]
fn published_manifests_are_valid() {
    let mut checked = 0;
    for channel in ["standard", "experimental"] {
        let mut schemas = BTreeMap::new();
        for file in crd_testdata::gateway_api("v1.6.1", channel) {
            let crd = CustomResourceDefinition::from_value(&file.json()).unwrap();
            for version in crd.versions {
                schemas.insert((format!("{}/{}", crd.group, version.name), crd.names.kind.to_string()), version.schema);
            }
        }
        for file in crd_testdata::gateway_api_examples(channel) {
            for mut manifest in crd_model::yaml::read(file.text).unwrap() {
                let field = |name: &str| manifest.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
                // Namespaces and other built-in resources have no CRD.
                let Some(schema) = schemas.get(&(field("apiVersion"), field("kind"))) else { continue };
                crate::apply_defaults(schema, &mut manifest);
                assert_eq!(validated(Subject::Resource, schema, &manifest), [], "{}", file.path);
                checked += 1;
            }
        }
    }
    assert!(checked > 80, "only {checked} manifests found their schema");
}
