//! `conversions.json`: round trips, the published schema, and diagnostics of malformed documents.

use crd_convert::{Conversions, Document, Path};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::document;

/// A document with every operation and every optional key.
fn every_operation() -> Value {
    let mut document = document(&[json!([
        {"operation": "rename", "from": "spec.r", "to": "spec.r2"},
        {"operation": "move", "from": "spec.m.a", "to": "spec.m2"},
        {"operation": "wrapInList", "from": "spec.rules[*].l", "to": "spec.rules[*].l2", "keys": {"spec.rules[*]": ["name", "port"]}},
        {"operation": "unwrapList", "from": "spec.u", "to": "spec.u2"},
        {"operation": "wrapInObject", "from": "spec.names[*]", "to": "spec.names[*]", "field": "name"},
        {"operation": "unwrapObject", "from": "spec.o", "to": "spec.o2", "field": "name"},
        {"operation": "listToMap", "from": "spec.list", "to": "spec.list2", "key": "k"},
        {"operation": "mapToList", "from": "spec.map", "to": "spec.map2", "key": "k", "value": "v"},
        {"operation": "values", "from": "spec.options{*}.mode", "to": "spec.options{*}.mode", "values": {"A": "B"}},
        {"operation": "values", "from": "spec.e", "to": "spec.e2", "values": {"A": "B", "A2": "B"}, "nearest": {"C": "A"}, "merged": ["A2"]},
        {"operation": "scale", "from": "spec.s", "to": "spec.s2", "multiply": 1000, "divide": 3},
        {"operation": "split", "from": "spec.t", "to": {"x": "spec.x", "y": "spec[\"y.z\"]"}, "pattern": "^(?P<x>.*)-(?P<y>[0-9]*)$", "template": "{x}-{y}", "integers": ["y"]},
        {"operation": "join", "from": {"v": "spec.v", "w": "spec.w"}, "to": "spec.vw", "pattern": "^(?P<v>[^{]*)\\{(?P<w>.*)$", "template": "{v}{{{w}"},
        {"operation": "default", "path": "spec.d", "value": {"a": [null]}},
        {"operation": "constant", "path": "spec.c", "value": 1},
        {"operation": "drop", "path": "spec.gone", "reason": "unused", "keeps": true},
        {"operation": "code", "name": "f", "from": ["spec.f"], "to": ["spec.f2", "spec.f3"]},
    ])]);
    document["lenses"][0]["from"] = json!({"apiVersion": "example.com/v1alpha1", "kind": "OldThing"});
    document["lenses"][0]["to"] = json!({"apiVersion": "example.com/v1", "kind": "Thing"});
    let lens = json!({
        "name": "merged", "resource": "things.example.com", "group": "example.com", "kind": "Thing", "since": "v1.1.0", "merged": true, "steps": [],
        "from": {"apiVersion": "example.com/v1alpha1", "kind": "Thing"}, "to": {"apiVersion": "example.com/v1", "kind": "Thing"}
    });
    document["lenses"].as_array_mut().unwrap().push(lens);
    document["removed"] = json!([
        {"group": "example.com", "kind": "Thing", "since": "v1.2.0", "reason": "unused", "path": "spec.mode", "value": "Z"},
        {"group": "example.com", "kind": "Thing", "since": "v1.2.0", "reason": "unused", "version": "v0"},
    ]);
    document
}

fn errors(document: &Value) -> Vec<String> {
    let errors = Document::from_value(document).unwrap_err();
    errors.iter().map(|error| format!("{}: {}", error.path, error.message)).collect()
}

/// The errors of a document whose lenses have these steps.
fn errors_of(lenses: &[Value]) -> Vec<String> {
    errors(&document(lenses))
}

#[track_caller]
fn step_error(step: Value, expected: &str) {
    assert_eq!(errors_of(&[json!([step])]), [format!("$.lenses[0].steps[0].{expected}")]);
}

fn schema_errors(document: &Value) -> Vec<String> {
    let schema = serde_json::from_str(include_str!("../schemas/conversions.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    validator.iter_errors(document).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

#[test]
fn a_written_document_is_read_as_the_same() {
    let value = every_operation();
    let document = Document::from_value(&value).unwrap();
    assert_eq!(document.to_value(), value);
    assert_eq!(Document::read(&document.write()), Ok(document));
}

#[test]
fn the_schema_describes_every_operation() {
    assert_eq!(schema_errors(&every_operation()), [] as [&str; 0]);
    let schema: Value = serde_json::from_str(include_str!("../schemas/conversions.json")).unwrap();
    let described = schema["$defs"]["step"]["oneOf"].as_array().unwrap().iter().flat_map(|operation| {
        let name = operation["$ref"].as_str().unwrap().trim_start_matches("#/$defs/");
        let names = schema["$defs"][name]["properties"]["operation"]["enum"].as_array().unwrap();
        names.iter().map(|name| name.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    });
    let mut described: Vec<_> = described.collect();
    let document = Document::from_value(&every_operation()).unwrap();
    let mut used: Vec<_> = document.lenses[0].steps.iter().map(|step| step.operation.kind.name().to_owned()).collect();
    described.sort();
    used.sort();
    used.dedup();
    assert_eq!(described, used);
}

#[test]
fn the_schema_refuses_what_the_reader_refuses() {
    let mut paths = Vec::new();
    fn keys(value: &Value, at: &str, paths: &mut Vec<String>) {
        match value {
            // Maps with free keys and values of any type end here.
            Value::Object(_)
                if ["values", "nearest", "keys", "value", "from/", "to/"].iter().any(|end| at.ends_with(end)) => {}
            Value::Object(object) => {
                paths.push(at.to_owned());
                object.iter().for_each(|(key, value)| keys(value, &format!("{at}/{key}"), paths));
            }
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(index, item)| keys(item, &format!("{at}/{index}"), paths))
            }
            _ => {}
        }
    }
    keys(&every_operation(), "", &mut paths);
    assert!(paths.len() > 18, "{paths:?}");
    for path in paths {
        let complete = every_operation();
        for key in complete.pointer(&path).unwrap().as_object().unwrap().keys() {
            let mut document = complete.clone();
            document.pointer_mut(&path).unwrap().as_object_mut().unwrap().remove(key);
            let is_read = Document::from_value(&document).is_ok();
            assert!(!is_read || schema_errors(&document).is_empty(), "{path}/{key} is optional");
            // Groups without fields are found by comparison with the pattern, which a schema cannot express.
            let is_group = path.ends_with("/from") || path.ends_with("/to");
            let is_semantic = is_group && !path.starts_with("/lenses/0/from") && !path.starts_with("/lenses/0/to");
            assert!(
                is_read
                    || is_semantic
                    || ["integers", "merged"].contains(&key.as_str())
                    || !schema_errors(&document).is_empty(),
                "{path}/{key} is required"
            );
            document = complete.clone();
            document.pointer_mut(&path).unwrap()[key] = json!(false);
            if key == "merged" && path == "/lenses/1" {
                // Another lens decides whether this one must be merged.
                continue;
            }
            let is_any = key == "keeps" || key == "value" && path.contains("/steps/") && path != "/lenses/0/steps/7";
            assert_eq!(Document::from_value(&document).is_ok(), is_any, "{path}/{key}");
            assert_eq!(schema_errors(&document).is_empty(), is_any, "{path}/{key}");
        }
        let mut document = complete;
        document.pointer_mut(&path).unwrap()["unknown"] = json!(1);
        assert!(Document::from_value(&document).is_err() && !schema_errors(&document).is_empty(), "{path}");
    }
}

#[test]
fn all_errors_are_reported_together() {
    let document = json!({
        "schemaVersion": 2, "prefix": "A", "extra": 1,
        "lenses": [
            5,
            {"name": "", "resource": "x", "since": "1.0", "from": {"apiVersion": 5}, "steps": [
                {"operation": "renam", "from": 1},
                {"operation": "rename", "from": "spec.a[", "extra": 1},
                {"operation": "scale", "from": "spec.a", "to": "spec.b", "multiply": -1, "divide": "x"},
                {},
            ]},
        ],
    });
    assert_eq!(
        errors(&document),
        [
            "$.extra: unknown key `extra`",
            "$.generator: missing",
            "$.lenses[0]: a number instead of an object",
            "$.lenses[1].group: missing",
            "$.lenses[1].kind: missing",
            "$.lenses[1].name: an empty string",
            "$.lenses[1].resource: not the name of a CRD",
            "$.lenses[1].since: not a bundle version such as `v1.4.0`",
            "$.lenses[1].steps[0].operation: unknown operation `renam`",
            "$.lenses[1].steps[1].extra: unknown key `extra`",
            "$.lenses[1].steps[1].from: `spec.a[` is not a path: unexpected character at byte 6",
            "$.lenses[1].steps[1].to: missing",
            "$.lenses[1].steps[2].divide: a string instead of an integer from 1 to 4294967295",
            "$.lenses[1].steps[2].multiply: a number instead of an integer from 1 to 4294967295",
            "$.lenses[1].steps[3].operation: missing",
            "$.lenses[1].to: missing, and `from` is present",
            "$.prefix: not a DNS subdomain",
            "$.schemaVersion: the version of the format is not 1",
        ]
    );
}

#[test]
fn errors_have_a_fix() {
    let errors = Document::from_value(&document(&[json!([{"operation": "renam"}])])).unwrap_err();
    assert_eq!(
        errors[0].to_string(),
        "$.lenses[0].steps[0].operation: unknown operation `renam`; the operations are rename, move, wrapInList, unwrapList, wrapInObject, unwrapObject, listToMap, mapToList, values, scale, split, join, default, constant, drop, code"
    );
    let errors = Document::read("{").unwrap_err();
    assert_eq!((errors.len(), errors[0].path.as_str()), (1, "$"));
}

#[test]
fn an_operation_that_cannot_be_recognised_is_refused() {
    let two = |operation: &str, from: &str, to: &str| json!({"operation": operation, "from": from, "to": to});
    step_error(two("rename", "spec.a", "spec.a"), "to: the old and the new place are the same");
    step_error(two("rename", "spec.a", "spec.b.a"), "to: the new name is in another object");
    step_error(two("move", "spec.a", "spec.b"), "to: the new place is in the same object");
    step_error(
        two("move", "spec.rules[*].a", "spec.a"),
        "to: the old and the new place are in different lists or maps",
    );
    step_error(
        two("move", "spec.a", "spec.a.b"),
        "to: one place contains the other, so the old and the new form cannot be distinguished",
    );
    step_error(
        json!({"operation": "drop", "path": "spec.rules[*]", "reason": "x"}),
        "path: the place is an item of a list or a value of a map, which has no name",
    );
    step_error(
        json!({"operation": "scale", "from": "spec.a", "to": "spec.a", "multiply": 1, "divide": 1}),
        "to: the new number is in the place of the old one, so the unit of a number cannot be recognised",
    );
    step_error(
        json!({"operation": "values", "from": "spec.a", "to": "spec.a", "values": {"A": "B", "B": "C"}}),
        "values: `B` is an old value and a new value, so the old and the new form cannot be distinguished",
    );
    step_error(
        json!({"operation": "values", "from": "spec.a", "to": "spec.a", "values": {"A": "C", "B": "C"}}),
        "values: `A` and `B` both become `C`, so one of them does not return",
    );
    step_error(json!({"operation": "drop", "path": "spec.a", "reason": " "}), "reason: a dropped field needs a reason");
    let mut keys = two("rename", "spec.rules[*].a", "spec.rules[*].b");
    keys["keys"] = json!({"spec.other[*]": ["name"]});
    step_error(keys, "keys: `spec.other[*]` is not a list on the way to the places of the step");
}

#[test]
fn a_pattern_and_its_template_must_fit_together() {
    let split = |pattern: &str, template: &str| json!({"operation": "split", "from": "spec.t", "to": {"x": "spec.x"}, "pattern": pattern, "template": template});
    step_error(
        split("(?P<x>a", "{x}"),
        "pattern: not a valid RE2 expression: missing closing `)`; close the group, or write `\\(` to match a parenthesis (at byte 0)",
    );
    step_error(split("(?P<x>a)(?P<y>b)", "{x}"), "pattern: the group `y` has no field");
    step_error(split("(?P<x>a)", "x"), "template: the template does not have `{x}`, so the field would be lost");
    step_error(split("(?P<x>a)", "{x}{y}"), "template: the template has `{y}`, which is not a group with a field");
    step_error(split("(?P<x>a)", "{x}}"), "template: the template has a single `}`");
}

#[test]
fn cyclic_and_overlapping_lenses_are_refused() {
    let rename = |from: &str, to: &str| json!([{"operation": "rename", "from": from, "to": to}]);
    let of = |lenses: &[(&str, &str)]| errors_of(&lenses.iter().map(|(from, to)| rename(from, to)).collect::<Vec<_>>());
    assert_eq!(
        of(&[("spec.a", "spec.b"), ("spec.b", "spec.a")]),
        [
            "$.lenses[1].steps[0]: the lenses are cyclic: `spec.a` is the old form in `$.lenses[0].steps[0]`, and becomes a new form again here"
        ]
    );
    assert_eq!(
        of(&[("spec.a", "spec.c"), ("spec.b", "spec.c")]),
        ["$.lenses[1].steps[0]: the lenses overlap: `$.lenses[0].steps[0]` writes `spec.c` too"]
    );
    assert_eq!(
        of(&[("spec.a", "spec.b"), ("spec.a", "spec.c")]),
        ["$.lenses[1].steps[0]: the lenses overlap: `$.lenses[0].steps[0]` reads `spec.a` too"]
    );
    let chain = document(&[rename("spec.a", "spec.b"), rename("spec.b", "spec.c")]);
    assert!(Document::from_value(&chain).is_ok());
    let values =
        |old: &str, new: &str| json!([{"operation": "values", "from": "spec.e", "to": "spec.e", "values": {old: new}}]);
    assert!(Document::from_value(&document(&[values("A", "B"), values("C", "D"), values("B", "E")])).is_ok());
    assert_eq!(errors_of(&[values("A", "B"), values("B", "A")]).len(), 1);
}

#[test]
fn identities_are_one_chain() {
    let chain = |identities: &[(&str, &str)]| {
        let mut document = document(&vec![json!([]); identities.len()]);
        for (lens, (from, to)) in document["lenses"].as_array_mut().unwrap().iter_mut().zip(identities) {
            lens["from"] = json!({"apiVersion": format!("example.com/{from}"), "kind": "Thing"});
            lens["to"] = json!({"apiVersion": format!("example.com/{to}"), "kind": "Thing"});
        }
        document
    };
    assert!(Document::from_value(&chain(&[("v1alpha1", "v1beta1"), ("v1beta1", "v1")])).is_ok());
    assert_eq!(
        errors(&chain(&[("v1alpha1", "v1alpha2"), ("v1beta1", "v1")])),
        [
            "$.lenses[0].to: the chain has a gap: no later lens converts example.com/v1alpha2 Thing to example.com/v1 Thing"
        ]
    );
    assert_eq!(
        errors(&chain(&[("v1", "v2"), ("v2", "v1")])),
        ["$.lenses[1].to: the lenses are cyclic: an earlier lens converts example.com/v1 Thing to another identity"]
    );
    assert_eq!(errors(&chain(&[("v1", "v1")])), ["$.lenses[0].to: the identity does not change"]);
    assert_eq!(
        errors(&chain(&[("v1alpha1", "v1beta1"), ("v1alpha1", "v1"), ("v1beta1", "v1")])),
        [
            "$.lenses[1].from: the lenses overlap: the lens `lens-0` converts example.com/v1alpha1 Thing too",
            "$.lenses[2].to: the lens `lens-1` converts another identity to example.com/v1 Thing",
        ]
    );
    let mut merged = chain(&[("v1alpha1", "v1"), ("v1beta1", "v1")]);
    merged["lenses"][0]["merged"] = json!(true);
    assert!(Document::from_value(&merged).is_ok());
    merged["lenses"][1]["merged"] = json!(true);
    assert_eq!(
        errors(&merged),
        [
            "$.lenses[0].merged: every lens to example.com/v1 Thing is merged, so objects of that identity have no way back"
        ]
    );
}

#[test]
fn names_and_resources_are_unique() {
    let rename = |to: &str| json!([{"operation": "rename", "from": format!("spec.{to}1"), "to": format!("spec.{to}")}]);
    let mut document = document(&[rename("a"), rename("b"), json!([])]);
    document["lenses"][1]["name"] = json!("lens-0");
    document["lenses"][1]["resource"] = json!("things-too.example.com");
    assert_eq!(
        errors(&document),
        [
            "$.lenses[0].resource: objects of kind `Thing` are converted by lenses of `things-too.example.com` too",
            "$.lenses[1].name: `$.lenses[0]` has the name `lens-0` too",
            "$.lenses[2].resource: objects of kind `Thing` are converted by lenses of `things-too.example.com` too",
            "$.lenses[2].steps: the lens changes nothing",
        ]
    );
}

#[test]
fn lenses_that_were_not_read_are_checked_too() {
    let mut document = Document::from_value(&every_operation()).unwrap();
    document.lenses.push(document.lenses[0].clone());
    let errors = Conversions::new(&document).unwrap_err();
    assert!(errors.iter().any(|error| error.message.contains("has the name")), "{errors:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

    #[test]
    fn any_text_is_a_path_or_an_error(text in r#"([a-c]|[.]|\[\*\]|\{\*\}|\["[a\\".]{0,3}"\]|\PC){0,8}"#) {
        if let Ok(path) = text.parse::<Path>() {
            prop_assert_eq!(path.to_string().parse::<Path>(), Ok(path));
        }
    }
}

#[test]
fn a_repeated_key_is_an_error() {
    let text = r#"{
        "schemaVersion": 1, "generator": "test", "prefix": "example.com",
        "lenses": [{
            "name": "a", "resource": "things.example.com", "group": "example.com", "kind": "Thing", "since": "v1.1.0",
            "steps": [{"operation": "rename", "from": "spec.a", "to": "spec.b", "to": "spec.c"}]
        }]
    }"#;
    let errors = Document::read(text).unwrap_err();
    let errors = errors.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(errors, ["$.lenses[0].steps[0].to: the key is repeated in line 5; write each key once"]);
}
