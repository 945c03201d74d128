//! Tests of the validator: each keyword, the server's oddities, and every manifest that is published with Gateway API.
//!
//! The verdicts written here were compared with those of the server's own packages (Kubernetes 1.36).

use std::collections::BTreeMap;

use serde_json::json;

use super::*;
use crd_model::crd::CustomResourceDefinition;
use crd_model::schema::Schema;

fn schema(value: &Value) -> Schema {
    Schema::from_value(value).unwrap()
}

/// Kind and path of every violation of a part, with a matcher that only supports the pattern `^a`.
fn found_as(subject: Subject, of: &Value, value: &Value) -> Vec<(ViolationKind, String)> {
    let matches = |pattern: &str, text: &str| (pattern == "^a").then(|| text.starts_with('a'));
    let violations = Validator { matches: &matches, subject }.validate(&schema(of), value);
    violations.into_iter().map(|violation| (violation.kind, violation.path)).collect()
}

fn validate_as(subject: Subject, schema: &Schema, value: &Value) -> Vec<Violation> {
    let patterns = Patterns::default();
    let matches = |pattern: &str, text: &str| patterns.matches(pattern, text);
    Validator { matches: &matches, subject }.validate(schema, value)
}

fn validate_resource(schema: &Schema, value: &Value) -> Vec<Violation> {
    validate_as(Subject::Resource, schema, value)
}

fn found(of: &Value, value: &Value) -> Vec<(ViolationKind, String)> {
    found_as(Subject::Part, of, value)
}

#[track_caller]
fn check(of: Value, good: &[Value], bad: &[(Value, ViolationKind)]) {
    for value in good {
        assert_eq!(found(&of, value), [], "{value} under {of}");
    }
    for (value, kind) in bad {
        assert_eq!(found(&of, value), [(*kind, String::new())], "{value} under {of}");
    }
}

use ViolationKind::*;

#[test]
fn types() {
    check(
        json!({"type": "string"}),
        &[json!("")],
        &[(json!(1), WrongType), (json!(null), WrongType), (json!([]), WrongType)],
    );
    check(json!({"type": "boolean", "nullable": true}), &[json!(true), json!(null)], &[(json!("true"), WrongType)]);
    check(json!({"type": "number"}), &[json!(1), json!(1.5)], &[(json!("1"), WrongType)]);
    check(
        json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
        &[json!({"a": 1})],
        &[(json!([]), WrongType)],
    );
    check(
        json!({"x-kubernetes-int-or-string": true}),
        &[json!(1), json!("a"), json!(2.0)],
        &[(json!(true), WrongType)],
    );
    check(json!({}), &[json!(null), json!(1), json!("a"), json!([1])], &[]);
    // A whole float is an integer; another float is also out of range.
    check(
        json!({"type": "integer"}),
        &[json!(1), json!(1.0), json!(1e3)],
        &[(json!("1"), WrongType), (json!(true), WrongType)],
    );
    assert_eq!(
        found(&json!({"type": "integer"}), &json!(1.5)),
        [(WrongType, String::new()), (OutOfRange, String::new())]
    );
}

#[test]
fn numbers() {
    check(
        json!({"minimum": 1, "maximum": 3}),
        &[json!(1), json!(3), json!(2.5)],
        &[(json!(0), OutOfRange), (json!(3.5), OutOfRange)],
    );
    check(json!({"minimum": 1, "exclusiveMinimum": true}), &[json!(2), json!(1.1)], &[(json!(1), OutOfRange)]);
    check(json!({"maximum": 3, "exclusiveMaximum": true}), &[json!(2)], &[(json!(3), OutOfRange)]);
    check(
        json!({"multipleOf": 3}),
        &[json!(0), json!(-6), json!(4.5e0 * 2.0)],
        &[(json!(4), OutOfRange), (json!(1.5), OutOfRange)],
    );
    check(json!({"multipleOf": 0.1}), &[json!(0.3), json!(1.1)], &[(json!(0.35), OutOfRange)]);
    check(json!({"type": "integer", "format": "int32"}), &[json!(i32::MAX)], &[(json!(1_i64 << 31), OutOfRange)]);
    check(json!({"type": "integer", "format": "int64"}), &[json!(i64::MAX), json!(i64::MIN)], &[]);
    check(json!({"type": "number", "format": "float"}), &[json!(1e38)], &[(json!(1e39), OutOfRange)]);
}

#[test]
fn oddities_of_numbers() {
    // Bounds and factors are cut where the value is an integer.
    check(json!({"type": "number", "minimum": 1.5}), &[json!(1), json!(1.5)], &[(json!(1.4), OutOfRange)]);
    check(json!({"type": "number", "multipleOf": 0.5}), &[json!(1.5)], &[(json!(1), OutOfRange)]);
    // A bound that an integer cannot have lets no integer through.
    check(json!({"type": "integer", "maximum": 1.5}), &[], &[(json!(0), OutOfRange)]);
    check(json!({"type": "integer", "multipleOf": 0}), &[], &[(json!(0), OutOfRange)]);
}

#[test]
fn texts() {
    // Lengths are in code points.
    check(
        json!({"minLength": 2, "maxLength": 3}),
        &[json!("éé"), json!("日本語")],
        &[(json!("é"), WrongLength), (json!("abcd"), WrongLength)],
    );
    check(json!({"pattern": "^a"}), &[json!("ab")], &[(json!("ba"), PatternMismatch)]);
    check(json!({"pattern": "unknown to the matcher"}), &[json!("b")], &[]);
    check(
        json!({"type": "string", "format": "date-time"}),
        &[json!("2024-01-01T00:00:00Z")],
        &[(json!("now"), FormatMismatch)],
    );
    check(json!({"type": "string", "format": "no-such"}), &[json!("b")], &[]);
    // The server stops at the length before it looks at the pattern, but looks at the format anyway.
    assert_eq!(
        found(&json!({"maxLength": 1, "pattern": "^a", "type": "string", "format": "ipv4"}), &json!("bb")),
        [(WrongLength, String::new()), (FormatMismatch, String::new())]
    );
}

#[test]
fn formats_and_types() {
    // A format of strings lets every list through where the type is string.
    check(json!({"type": "string", "format": "date"}), &[json!([1])], &[(json!(1), WrongType)]);
    // Without a type it only lets strings and lists through.
    check(
        json!({"format": "date"}),
        &[json!("2024-01-01"), json!([])],
        &[(json!(1), WrongType), (json!({}), WrongType)],
    );
    // Formats of other types are stripped from objects, but not from defaults.
    let odd = json!({"type": "boolean", "format": "date"});
    assert_eq!(found(&odd, &json!("x")), [(WrongType, String::new())]);
    assert_eq!(found_as(Subject::Default, &odd, &json!("x")), [(FormatMismatch, String::new())]);
}

#[test]
fn enums() {
    check(
        json!({"enum": ["a", 1, [1], {"b": 1}]}),
        &[json!("a"), json!(1), json!([1])],
        &[(json!("b"), NotInEnum), (json!([1.0]), NotInEnum)],
    );
    check(json!({"enum": []}), &[json!("a")], &[]);
    check(json!({"enum": ["a", null], "nullable": true}), &[], &[(json!(null), NotInEnum)]);
    // Conversions of Go.
    check(json!({"enum": [1]}), &[json!(1.7)], &[(json!(2.0), NotInEnum)]);
    check(json!({"enum": ["A"]}), &[json!(65)], &[(json!(65.0), NotInEnum)]);
}

#[test]
fn lists() {
    check(
        json!({"minItems": 1, "maxItems": 2, "items": {}}),
        &[json!([1])],
        &[(json!([]), WrongItemCount), (json!([1, 2, 3]), WrongItemCount)],
    );
    check(json!({"uniqueItems": true}), &[json!([1, 1.0, "1"])], &[(json!([1, 2, 1]), Duplicate)]);
    let set = json!({"x-kubernetes-list-type": "set"});
    assert_eq!(found(&set, &json!(["a", "b"])), []);
    // Only the second of three is reported; a scalar 1 differs from 1.0, but inside an item they are equal.
    assert_eq!(
        found(&set, &json!(["a", "a", "a", 1, 1.0, [1], [1.0]])),
        [(Duplicate, "[1]".to_owned()), (Duplicate, "[6]".to_owned())]
    );
    let map = json!({"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a", "b"], "items": {"x-kubernetes-preserve-unknown-fields": true}});
    assert_eq!(found(&map, &json!([{"a": 1}, {"a": 1, "b": 2}, {"a": 1, "c": 3}])), [(Duplicate, "[2]".to_owned())]);
    assert_eq!(found(&map, &json!([{"a": 1}, 2, {"a": 1}])), [(WrongType, "[1]".to_owned())]);
    assert_eq!(found_as(Subject::Default, &set, &json!(["a", "a"])), [], "defaults are not looked at");
}

#[test]
fn objects() {
    check(
        json!({"minProperties": 1, "maxProperties": 1, "additionalProperties": true}),
        &[json!({"a": 1})],
        &[(json!({}), WrongPropertyCount), (json!({"a": 1, "b": 2}), WrongPropertyCount)],
    );
    let of = json!({"type": "object", "required": ["a", "b"], "properties": {"a": {"type": "object", "additionalProperties": {"type": "string"}}, "b": {"type": "string"}}});
    assert_eq!(
        found(&of, &json!({"a": {"x": 1, "y z": 2}})),
        [(WrongType, "a.x".to_owned()), (WrongType, "a[\"y z\"]".to_owned()), (Missing, "b".to_owned()),]
    );
    assert_eq!(found(&json!({"additionalProperties": false}), &json!({"a": 1})), [(Disallowed, "a".to_owned())]);
}

#[test]
fn junctors() {
    check(json!({"anyOf": [{"minLength": 2}, {"enum": ["b"]}]}), &[json!("aa"), json!("b")], &[(json!("a"), Junctor)]);
    check(
        json!({"oneOf": [{"minLength": 2}, {"enum": ["bb"]}]}),
        &[json!("aa")],
        &[(json!("a"), Junctor), (json!("bb"), Junctor)],
    );
    check(json!({"not": {"minLength": 2}}), &[json!("a")], &[(json!("aa"), Junctor)]);
    check(json!({"allOf": [{"minLength": 2}, {"maxLength": 2}]}), &[json!("aa")], &[(json!("a"), WrongLength)]);
    let violations = validate(&schema(&json!({"anyOf": [{"minLength": 2}, {"enum": ["b"]}]})), &json!("a"));
    assert!(
        violations[0].message.contains("minLength 2") && violations[0].message.contains("not one of \"b\""),
        "{}",
        violations[0]
    );
}

#[test]
fn junctors_around_what_cannot_be_told() {
    let unknown = json!({"pattern": "unknown to the matcher"});
    for of in [
        json!({"anyOf": [{"minLength": 2}, unknown]}),
        json!({"oneOf": [{"minLength": 1}, unknown]}),
        json!({"oneOf": [{"minLength": 2}, unknown]}),
        json!({"not": unknown}),
        json!({"not": {"anyOf": [{"minLength": 2}, unknown]}}),
    ] {
        assert_eq!(found(&of, &json!("a")), [], "{of}");
    }
    let both = json!({"oneOf": [{"minLength": 1}, {"maxLength": 1}, unknown]});
    assert_eq!(found(&both, &json!("a")), [(Junctor, String::new())], "two hold already");
    let not = json!({"not": {"anyOf": [{"minLength": 1}, unknown]}});
    assert_eq!(found(&not, &json!("a")), [(Junctor, String::new())], "one is enough");
}

#[test]
fn patterns_are_searched_for() {
    let of = schema(&json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "^b|\\pLx"}}}));
    let kinds = |a: &str, subject: Subject| -> Vec<ViolationKind> {
        validate_as(subject, &of, &json!({"a": a, "apiVersion": "a.b/v1", "kind": "Kind", "metadata": {"name": "n"}}))
            .into_iter()
            .filter(|violation| violation.path == "a")
            .map(|violation| violation.kind)
            .collect()
    };
    for subject in [Subject::Part, Subject::Resource, Subject::Default] {
        assert_eq!(kinds("ba", subject), []);
        assert_eq!(kinds("ab", subject), [PatternMismatch]);
        assert_eq!(kinds("1yx", subject), [], "yx is a letter and x");
        assert_eq!(kinds("1x", subject), [PatternMismatch]);
        assert_eq!(kinds("éx", subject), [], "it is not decided for letters beyond ASCII");
    }
    let violations = validate(&of, &json!({"a": "ab"}));
    assert_eq!(violations[0].to_string(), r#"a: "ab" does not match the pattern ^b|\pLx"#);
}

#[test]
fn unknown_fields() {
    let unknown = |of: &Value, value: &Value| -> Vec<String> {
        found(of, value).into_iter().filter(|(kind, _)| *kind == UnknownField).map(|(_, path)| path).collect()
    };
    let of = json!({"properties": {"a": {"items": {"properties": {"b": {}}}}}});
    assert_eq!(unknown(&of, &json!({"a": [{"b": {"c": 1}, "d": 1}], "e": {"f": 1}})), ["a[0].b.c", "a[0].d", "e"]);
    // Named fields of an object that keeps unknown fields are pruned.
    let keeping = json!({"x-kubernetes-preserve-unknown-fields": true, "properties": {"a": {"type": "object"}}});
    assert_eq!(unknown(&keeping, &json!({"a": {"b": 1}, "c": {"d": 1}})), ["a.b"]);
    // Any value is allowed in such a map, but no fields in it.
    assert_eq!(
        unknown(&json!({"additionalProperties": true}), &json!({"a": {"b": 1}, "c": [{"d": 1}]})),
        ["a.b", "c[0].d"]
    );
    // A property inside a junctor does not declare a field.
    assert_eq!(unknown(&json!({"anyOf": [{"properties": {"a": {}}}]}), &json!({"a": 1})), ["a"]);
    // A list that keeps unknown fields keeps those of its items.
    let list =
        json!({"x-kubernetes-preserve-unknown-fields": true, "items": {"properties": {"a": {"type": "object"}}}});
    assert_eq!(unknown(&list, &json!([{"a": {"b": 1}, "c": 1}])), ["[0].a.b"]);
}

#[test]
fn resources() {
    let of = schema(&json!({"type": "object", "properties": {"spec": {"type": "object"}}}));
    let good = json!({"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a", "labels": {"b": "c"}}, "spec": {}});
    assert_eq!(validate_resource(&of, &good), []);
    let bad = json!({"kind": "Thing", "metadata": {"name": "A"}, "spec": {"x": 1}, "y": 1});
    let paths: Vec<String> = validate_resource(&of, &bad).into_iter().map(|violation| violation.path).collect();
    assert_eq!(paths, ["apiVersion", "metadata.name", "spec.x", "y"]);
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
                assert_eq!(validate_resource(schema, &manifest), [], "{}", file.path);
                checked += 1;
            }
        }
    }
    assert!(checked > 80, "only {checked} manifests found their schema");
}
