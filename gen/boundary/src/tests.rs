//! Both sides of constraints, over schemas of our own and over the bundles.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;
use crd_apiserver::validate::{Patterns, Subject, Validator, Violation, validate};
use crd_model::CustomResourceDefinition;
use crd_model::schema::{Step, nodes};

fn schema(value: &Value) -> Schema {
    Schema::from_value(value).unwrap()
}

fn anything(schema: &Schema) -> Search<'_> {
    Search::new(schema, Map::new(), Vec::new(), |_, _| true)
}

/// What must hold whatever the schema is.
#[track_caller]
fn sound(
    schema: &Schema,
    constraint: &Constraint<'_>,
    boundary: &Boundary,
    violations: &dyn Fn(&Schema, &Value) -> Vec<Violation>,
) {
    let completed = |object: &Value| {
        let mut object = object.clone();
        crd_apiserver::apply_defaults(schema, &mut object);
        object
    };
    let Boundary { path, inside, outside, violation, also, .. } = boundary;
    assert_eq!(violations(schema, &completed(inside)), [], "{constraint}: {inside}");
    let mut reported = violations(schema, &completed(outside));
    reported.retain(|reported| reported != violation);
    assert_eq!(&reported, also, "{constraint}: {outside}");
    assert!(violation.path.starts_with(path), "{constraint}: {violation} at {path}");
    assert_ne!(inside, outside);
}

/// The constraints of a schema, with the inside and the outside value, and `also` where more is broken; null where there are none.
fn sides(of: &Value) -> Map<String, Value> {
    let schema = schema(of);
    let mut search = anything(&schema);
    let mut found = Map::new();
    for constraint in constraints(&schema) {
        let sides = match search.boundary(&constraint) {
            Ok(boundary) => {
                sound(&schema, &constraint, &boundary, &validate);
                let also = boundary.also.iter().map(|_| json!("also"));
                [boundary.inside_value, boundary.outside_value].into_iter().chain(also).collect()
            }
            Err(unreached) => {
                assert_eq!(unreached, Unreached::NothingOutside);
                Value::Null
            }
        };
        assert_eq!(found.insert(constraint.to_string().replace("(root) ", ""), sides), None, "{constraint} twice");
    }
    found
}

#[track_caller]
fn check(of: Value, expected: Value) {
    assert_eq!(Value::Object(sides(&of)), expected, "{of}");
}

#[test]
fn numbers() {
    check(
        json!({"type": "integer", "minimum": 3, "maximum": 65_535}),
        json!({"type": [3, "3"], "minimum": [3, 2], "maximum": [65_535, 65_536]}),
    );
    check(
        json!({"type": "integer", "minimum": 3, "exclusiveMinimum": true, "maximum": 9, "exclusiveMaximum": true}),
        json!({"type": [4, "4"], "minimum": [4, 3], "maximum": [8, 9]}),
    );
    // The server cuts the bound where the value is an integer, so that it takes 1.
    check(
        json!({"type": "number", "minimum": 1.5, "maximum": 2}),
        json!({"type": [1, "1"], "minimum": [1.5, 1.5_f64.next_down()], "maximum": [2, 2_f64.next_up()]}),
    );
    check(json!({"type": "integer", "multipleOf": 5}), json!({"type": [0, "0"], "multipleOf": [0, 1]}));
    check(
        json!({"type": "integer", "minimum": 7, "multipleOf": 5}),
        json!({"type": [10, "10"], "minimum": [10, 5], "multipleOf": [10, 11]}),
    );
}

#[test]
fn formats_of_numbers() {
    check(
        json!({"type": "integer", "format": "int32"}),
        json!({"type": [0, "0"], "format": [-2_147_483_648_i64, 2_147_483_648_i64]}),
    );
    // A maximum is broken as well, whatever breaks the format.
    check(
        json!({"type": "integer", "format": "int32", "minimum": 0, "maximum": 9}),
        json!({"type": [0, "0"], "format": [9, 2_147_483_648_i64, "also"], "minimum": [0, -1], "maximum": [9, 10]}),
    );
    check(
        json!({"type": "integer", "format": "int64"}),
        json!({"type": [0, "0"], "format": [i64::MIN, 9_223_372_036_854_775_808_u64, "also"]}),
    );
    // What no server holds numbers against.
    check(json!({"type": "number", "format": "double"}), json!({"type": [0, "0"], "format": null}));
}

#[test]
fn texts() {
    check(
        json!({"type": "string", "minLength": 2, "maxLength": 3}),
        json!({"type": ["aa", 5], "minLength": ["aa", "a"], "maxLength": ["aaa", "aaaa"]}),
    );
    check(json!({"type": "string", "pattern": "^[a-c]+$"}), json!({"type": ["a", 5], "pattern": ["a", " "]}));
    // As long as it may be, it still matches; too short, it could not.
    check(
        json!({"type": "string", "minLength": 1, "maxLength": 6, "pattern": "^a(-b)+$"}),
        json!({"type": ["a-b", 5], "minLength": ["a-b", ""], "maxLength": ["a-b-b", "a-b-b-b"], "pattern": ["a-b", " -b"]}),
    );
    check(json!({"type": "string", "enum": ["On", "Off"]}), json!({"type": ["On", 5, "also"], "enum": ["On", "Onx"]}));
    check(
        json!({"type": "string", "format": "ipv4"}),
        json!({"type": ["192.0.2.1", 5], "format": ["192.0.2.1", " 92.0.2.1"]}),
    );
    check(
        json!({"type": "string", "allOf": [{"pattern": "^a"}, {"maxLength": 2}]}),
        json!({"type": ["a", 5], "pattern": ["a", " "], "maxLength": ["aa", "aaa"]}),
    );
}

#[test]
fn constraints_without_effect() {
    check(json!({"type": "string", "minLength": 0}), json!({"type": ["a", 5], "minLength": null}));
    check(json!({"type": "string", "pattern": "(?s).*"}), json!({"type": ["a", 5], "pattern": null}));
    check(json!({"type": "string", "format": "unknown-format"}), json!({"type": ["a", 5], "format": null}));
    check(
        json!({"type": "boolean", "enum": [true, false]}),
        json!({"type": [true, "true", "also"], "enum": [true, "unheardOf", "also"]}),
    );
    check(
        json!({"type": "object", "required": ["a"], "properties": {"a": {"default": 1}}}),
        json!({"type": [{}, "a"], "required a": null}),
    );
}

#[test]
fn lists() {
    let text = json!({"type": "string"});
    check(
        json!({"type": "array", "minItems": 1, "maxItems": 2, "items": text}),
        json!({"type": [["a"], "a"], "minItems": [["a"], []], "maxItems": [["a", "a"], ["a", "a", "a"]], "[*] type": ["a", 5]}),
    );
    check(
        json!({"type": "array", "x-kubernetes-list-type": "set", "maxItems": 2, "items": text}),
        json!({
            "type": [[], {}], "maxItems": [["a", "a0"], ["a", "a0", "a1"]], "x-kubernetes-list-type: set": [["a", "a0"], ["a", "a"]],
            "[*] type": ["a", 5],
        }),
    );
    check(
        json!({"type": "array", "uniqueItems": true, "items": {"type": "integer"}}),
        json!({"type": [[], {}], "uniqueItems": [[0, 1], [0, 1, 0]], "[*] type": [0, "0"]}),
    );
    // There are only two different ones: one too many is one twice.
    check(
        json!({"type": "array", "x-kubernetes-list-type": "set", "maxItems": 2, "items": {"type": "string", "enum": ["x", "y"]}}),
        json!({
            "type": [[], {}], "maxItems": null, "x-kubernetes-list-type: set": [["x", "y"], ["x", "x"]],
            "[*] type": ["x", 5, "also"], "[*] enum": ["x", "xx"],
        }),
    );
}

#[test]
fn what_is_too_large_is_let_be() {
    check(json!({"type": "string", "maxLength": i64::MAX}), json!({"type": ["a", 5], "maxLength": null}));
    check(
        json!({"type": "integer", "minimum": i64::MIN, "multipleOf": 7}),
        json!({"type": [0, "0"], "minimum": null, "multipleOf": [0, 1]}),
    );
    check(
        json!({"type": "object", "additionalProperties": {"type": "boolean"}, "maxProperties": 1_000_000_000_000_i64}),
        json!({"type": [{}, "a"], "maxProperties": null, "[*] type": [false, "false"]}),
    );
    let of = schema(&json!({"type": "array", "minItems": 1_000_000_000_000_i64, "items": {"type": "string"}}));
    for constraint in constraints(&of) {
        assert_eq!(anything(&of).boundary(&constraint), Err(Unreached::NoObject));
    }
}

#[test]
fn lists_of_type_map() {
    let of = json!({
        "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "maxItems": 2,
        "items": {"type": "object", "required": ["name", "port"], "properties": {"name": {"type": "string"}, "port": {"type": "integer"}}},
    });
    let found = sides(&of);
    let two = json!([{"name": "a", "port": 0}, {"name": "a0", "port": 0}]);
    // The same keys, and apart from them not the same.
    assert_eq!(found["x-kubernetes-list-map-keys"], json!([two, [{"name": "a", "port": 0}, {"name": "a", "port": 1}]]));
    assert_eq!(found["maxItems"][1].as_array().map(Vec::len), Some(3));
    assert_eq!(found["[*] required port"], json!([{"name": "a", "port": 0}, {"name": "a"}]));
}

#[test]
fn objects() {
    check(
        json!({"type": "object", "additionalProperties": {"type": "string"}, "minProperties": 1, "maxProperties": 2}),
        json!({
            "type": [{"key0": "a"}, "a"], "minProperties": [{"key0": "a"}, {}], "[*] type": ["a", 5],
            "maxProperties": [{"key0": "a", "key1": "a"}, {"key0": "a", "key1": "a", "key2": "a"}],
        }),
    );
    check(
        json!({"type": "object", "required": ["a", "b"], "properties": {"a": {"type": "string"}, "b": {"type": "boolean"}}}),
        json!({
            "type": [{"a": "a", "b": false}, "a"], "required a": [{"a": "a", "b": false}, {"b": false}],
            "required b": [{"a": "a", "b": false}, {"a": "a"}], "a type": ["a", 5], "b type": [false, "false"],
        }),
    );
    check(
        json!({"type": "object", "additionalProperties": false}),
        json!({"type": [{}, "a"], "additionalProperties": [{}, {"unknownProperty": {}}]}),
    );
    check(json!({"x-kubernetes-int-or-string": true}), json!({"type": [0, 0.5]}));
    check(
        json!({"type": "object", "x-kubernetes-embedded-resource": true}),
        json!({"type": [{"apiVersion": "v1", "kind": "Thing", "metadata": {"name": "a"}}, "a"]}),
    );
}

#[test]
fn combinators() {
    check(
        json!({"type": "string", "anyOf": [{"format": "ipv4"}, {"format": "ipv6"}]}),
        json!({"type": ["192.0.2.1", []], "anyOf": ["192.0.2.1", " 92.0.2.1"]}),
    );
    check(
        json!({"type": "integer", "oneOf": [{"minimum": 5}, {"maximum": 6}]}),
        json!({"type": [0, 0.5, "also"], "oneOf": [0, 5]}),
    );
    check(json!({"type": "string", "not": {"enum": ["root"]}}), json!({"type": ["a", 5], "not": ["a", "root"]}));
    // As Gateway has it: the type of an address decides about its value.
    let of = json!({
        "type": "object",
        "properties": {"type": {"type": "string", "default": "IP"}, "value": {"type": "string"}},
        "oneOf": [
            {"properties": {"type": {"enum": ["IP"]}, "value": {"anyOf": [{"format": "ipv4"}, {"format": "ipv6"}]}}},
            {"properties": {"type": {"not": {"enum": ["IP"]}}}},
        ],
    });
    let found = sides(&of);
    assert_eq!(found["oneOf"][1], json!({"value": " 92.0.2.1"}), "by default an IP address");
}

#[test]
fn places_and_paths() {
    let of = schema(&json!({"type": "object", "properties": {"a": {
        "type": "array", "items": {"type": "object", "additionalProperties": {"type": "integer"}},
    }}}));
    let names: Vec<String> = constraints(&of).iter().map(ToString::to_string).collect();
    assert_eq!(names, ["(root) type", "a type", "a[*] type", "a[*][*] type"]);
    let constraint = constraints(&of).pop().unwrap();
    assert_eq!(constraint.path.node(&of), Some(constraint.node));
    let boundary = anything(&of).boundary(&constraint).unwrap();
    assert_eq!(boundary.path, "a[0].key0");
    assert_eq!((boundary.inside, boundary.outside), (json!({"a": [{"key0": 0}]}), json!({"a": [{"key0": "0"}]})));
    let nodes: Vec<String> = nodes(&of).iter().map(|(path, _)| path.to_string()).collect();
    assert_eq!(nodes, ["(root)", "a", "a[*]", "a[*][*]"]);
}

/// A union, as APIs have it: `type` states which other field is required, and only a CEL rule checks that.
fn union() -> Value {
    json!({"type": "object", "required": ["type"], "properties": {
        "type": {"type": "string", "enum": ["Mirror", "Redirect"]},
        "mirror": {"type": "object", "required": ["name"], "properties": {
            "name": {"type": "string", "maxLength": 5}, "kind": {"type": "string", "default": "Service"}, "port": {"type": "integer"},
        }},
        "redirect": {"type": "object", "properties": {"code": {"type": "integer", "minimum": 300, "maximum": 399}}},
    }})
}

fn follows_the_rules(filter: &Value) -> bool {
    let is_matched = match filter["type"].as_str() {
        Some("Mirror") => filter.get("mirror").is_some() && filter.get("redirect").is_none(),
        _ => filter.get("redirect").is_some() && filter.get("mirror").is_none(),
    };
    // A Service needs a port.
    let has_port =
        filter.get("mirror").is_none_or(|mirror| mirror.get("kind").is_some() || mirror.get("port").is_some());
    is_matched && has_port
}

#[test]
fn rules_are_satisfied_by_edits() {
    let of = schema(
        &json!({"type": "object", "properties": {"filters": {"type": "array", "maxItems": 2, "items": union()}}}),
    );
    let mut checked = 0;
    let mut search = Search::new(&of, Map::new(), Vec::new(), |_, object| {
        checked += 1;
        object["filters"].as_array().into_iter().flatten().all(follows_the_rules)
    });
    for constraint in constraints(&of) {
        let boundary = search.boundary(&constraint).unwrap_or_else(|unreached| panic!("{constraint}: {unreached}"));
        sound(&of, &constraint, &boundary, &validate);
        assert!(boundary.is_nearest, "{constraint}: {}", boundary.inside);
        let filters = boundary.inside["filters"].as_array().cloned().unwrap_or_default();
        assert!(filters.iter().all(follows_the_rules), "{constraint}: {filters:?}");
    }
    let checks = search.checks();
    drop(search);
    assert_eq!(checks, checked);
    assert!(checked < 200, "{checked} checks");
}

#[test]
fn sample_objects_help() {
    // No small edit satisfies this rule.
    let of = schema(&json!({"type": "object", "properties": {
        "a": {"type": "object", "properties": {"word": {"type": "string"}, "list": {"type": "array", "minItems": 1, "items": {"type": "string"}}}},
        "b": {"type": "object", "properties": {"word": {"type": "string"}, "list": {"type": "array", "minItems": 1, "items": {"type": "string"}}}},
    }}));
    let has_the_word =
        |object: &Value| ["a", "b"].iter().all(|name| object.get(*name).is_none_or(|part| part["word"] == "sesame"));
    let of_b: Vec<Constraint<'_>> =
        constraints(&of).into_iter().filter(|constraint| constraint.to_string().starts_with("b.list")).collect();
    assert_eq!(of_b.len(), 3);
    let mut alone = Search::new(&of, Map::new(), Vec::new(), |_, object| has_the_word(object));
    // The example is of `a`, which is like `b`.
    let base = json!({"a": {"word": "sesame", "list": ["x"]}});
    let mut helped =
        Search::new(&of, Map::new(), vec![json!({"a": {"word": "bad"}}), base], |_, object| has_the_word(object));
    for constraint in of_b {
        assert_eq!(alone.boundary(&constraint), Err(Unreached::NoObject), "{constraint}");
        let boundary = helped.boundary(&constraint).unwrap();
        assert_eq!(boundary.inside["b"]["word"], "sesame");
    }
}

#[test]
fn rules_can_refuse_the_nearest_value() {
    let of =
        schema(&json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "integer", "maximum": 9}}}));
    let mut search = Search::new(&of, Map::new(), Vec::new(), |_, object| object["a"] != 9);
    let maximum = constraints(&of).into_iter().find(|constraint| constraint.keyword == Keyword::Maximum).unwrap();
    let boundary = search.boundary(&maximum).unwrap();
    assert!(!boundary.is_nearest);
    assert_eq!((boundary.inside, boundary.outside), (json!({"a": 0}), json!({"a": 10})));
}

#[test]
fn an_outside_that_another_schema_takes() {
    let of = |pattern: &str| schema(&json!({"type": "string", "pattern": pattern, "maxLength": 5}));
    let (old, new) = (of("^[a-z.]*$"), of("^[a-z]*$"));
    let pattern = constraints(&new).into_iter().find(|constraint| constraint.keyword == Keyword::Pattern).unwrap();
    let boundary = anything(&new).boundary_where(&pattern, Some(&|value| validate(&old, value).is_empty())).unwrap();
    assert_eq!(boundary.outside, json!("."));
    assert_eq!(anything(&new).boundary_where(&pattern, Some(&|_| false)), Err(Unreached::NothingOutside));
}

#[test]
fn objects_without_a_default() {
    let of = schema(&json!({"type": "object", "properties": {
        "spec": {"type": "object", "required": ["size"], "properties": {"size": {"type": "integer"}, "kind": {"type": "string", "default": "Service"}}},
        "list": {"type": "array", "default": [{}], "items": {"type": "object", "properties": {"a": {"type": "string", "default": "A"}}}},
    }}));
    let paths: Vec<SchemaPath> =
        nodes(&of).into_iter().filter(|(_, node)| node.default.is_some()).map(|(path, _)| path).collect();
    let base = json!({"spec": {"size": 1, "kind": "Thing"}, "list": []});
    let mut search = Search::new(&of, Map::new(), vec![base], |_, _| true);
    let objects: Vec<Value> = paths.iter().map(|path| search.without(path).unwrap().object).collect();
    assert_eq!(objects, [json!({}), json!({"list": [{}]}), json!({"spec": {"size": 0}})]);
}

/// The CRDs of the unreleased bundles, each with its channel; none where there are no bundles.
fn published() -> Vec<(String, CustomResourceDefinition)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bundles/unreleased");
    let mut found = Vec::new();
    for channel in ["standard", "experimental"] {
        for entry in fs::read_dir(folder.join(channel)).into_iter().flatten().flatten() {
            for document in crd_model::yaml::read(&fs::read_to_string(entry.path()).unwrap()).unwrap() {
                if let Ok(crd) = CustomResourceDefinition::from_value(&document) {
                    found.push((channel.to_owned(), crd));
                }
            }
        }
    }
    found.sort_by_key(|(channel, crd)| (channel.clone(), crd.name.to_string()));
    found
}

/// How many constraints a schema has, counted without the code above.
fn count(of: &Value) -> usize {
    const KEYWORDS: [&str; 16] = [
        "type",
        "enum",
        "format",
        "pattern",
        "minimum",
        "maximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "minProperties",
        "maxProperties",
        "oneOf",
        "anyOf",
        "not",
    ];
    let Some(node) = of.as_object() else { return 0 };
    let own = KEYWORDS.iter().filter(|keyword| node.contains_key(**keyword)).count();
    let required = node.get("required").and_then(Value::as_array).map_or(0, Vec::len);
    let listed = usize::from(matches!(of["x-kubernetes-list-type"].as_str(), Some("set" | "map")));
    let properties = node.get("properties").and_then(Value::as_object);
    let below =
        properties.into_iter().flat_map(Map::values).chain(node.get("items")).chain(node.get("additionalProperties"));
    own + required + listed + below.map(count).sum::<usize>()
}

#[test]
fn every_constraint_of_the_bundles_has_two_sides() {
    let mut unreached: BTreeMap<String, usize> = BTreeMap::new();
    let patterns = Patterns::default();
    let matches = |pattern: &str, text: &str| patterns.matches(pattern, text);
    let violations = |schema: &Schema, value: &Value| {
        Validator { matches: &matches, subject: Subject::Resource }.validate(schema, value)
    };
    let (mut all, mut seen) = (0, Vec::new());
    for (_, crd) in published() {
        for version in crd.versions.iter().filter(|version| version.served) {
            if seen.contains(&version.schema) {
                continue;
            }
            seen.push(version.schema.clone());
            let frame = json!({
                "apiVersion": format!("{}/{}", crd.group, version.name), "kind": crd.names.kind, "metadata": {"name": "a"},
            });
            let mut search = Search::new(&version.schema, frame.as_object().unwrap().clone(), Vec::new(), |_, _| true);
            let constraints = constraints(&version.schema);
            assert_eq!(constraints.len(), count(&version.schema.to_value()), "{} {}", crd.name, version.name);
            all += constraints.len();
            // The rest are searched on real servers too: `cargo test -p crd-testbed --test proofs boundaries`.
            for constraint in crd_testdata::sample_of(constraints, |_| false) {
                match search.boundary(&constraint) {
                    Ok(boundary) => {
                        sound(&version.schema, &constraint, &boundary, &violations);
                        assert!(boundary.is_nearest, "{} {constraint}", crd.name);
                    }
                    Err(reason) => {
                        *unreached
                            .entry(format!(
                                "{} {}: {reason}",
                                constraint.keyword,
                                constraint.node.min_length.unwrap_or(-1)
                            ))
                            .or_default() += 1
                    }
                }
            }
        }
    }
    if seen.is_empty() {
        println!("skipped: there are no bundles next to the crate");
        return;
    }
    println!("{all} constraints of {} different schemas; not reached: {unreached:?}", seen.len());
    assert!(all > 4_000, "only {all}");
    unreached.remove("minLength 0: no value was found that breaks it");
    assert_eq!(unreached, BTreeMap::new());
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        (-9..9_i64, 0..9_i64, any::<[bool; 3]>()).prop_map(|(least, more, [exclusive, is_number, int32])| {
            let mut of = json!({"type": if is_number { "number" } else { "integer" }, "minimum": least, "maximum": least + more + 2});
            of["exclusiveMinimum"] = exclusive.into();
            if int32 && !is_number {
                of["format"] = "int32".into();
            }
            of
        }),
        (0..4_i64, 0..4_i64, prop::sample::select(vec!["", "^[a-z]*$", "a", "^(ab|c)+$", "^[^b]*$"])).prop_map(|(least, more, pattern)| {
            json!({"type": "string", "minLength": least, "maxLength": least + more + 2, "pattern": pattern})
        }),
        prop::sample::subsequence(vec!["One", "Two", "three", ""], 1..4).prop_map(|members| json!({"type": "string", "enum": members})),
        prop::sample::select(vec!["ipv4", "date-time", "uuid", "uri"]).prop_map(|format| json!({"type": "string", "format": format})),
        Just(json!({"type": "boolean"})),
    ]
}

fn any_schema() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(3, 12, 3, |below| {
        prop_oneof![
            (below.clone(), 0..3_i64, 0..3_i64, prop::sample::select(vec!["atomic", "set"])).prop_map(|(items, least, more, kind)| {
                let kind = if items["type"] == "object" || items["type"] == "array" { "atomic" } else { kind };
                json!({"type": "array", "items": items, "minItems": least, "maxItems": least + more, "x-kubernetes-list-type": kind})
            }),
            (prop::collection::btree_map("[a-c]", below.clone(), 1..3), any::<bool>()).prop_map(|(properties, required)| {
                let required: Vec<&String> = properties.keys().filter(|_| required).collect();
                json!({"type": "object", "required": required, "properties": properties})
            }),
            (below, 0..3_i64, 0..3_i64).prop_map(|(values, least, more)| {
                json!({"type": "object", "additionalProperties": values, "minProperties": least, "maxProperties": least + more})
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Every result breaks what it claims to break, and most constraints have a result.
    #[test]
    fn both_sides_are_sound(of in any_schema()) {
        let of = schema(&of);
        let mut search = anything(&of);
        for constraint in constraints(&of) {
            if let Ok(boundary) = search.boundary(&constraint) {
                sound(&of, &constraint, &boundary, &validate);
            }
        }
    }
}

fn is_valid(schema: &Schema, object: &Value) -> bool {
    validate(schema, object).is_empty()
}

#[test]
fn varied_objects_are_accepted_and_different_and_the_same_for_a_seed() {
    let of = schema(&json!({
        "type": "object", "required": ["name"],
        "properties": {
            "name": {"type": "string", "minLength": 1, "maxLength": 4},
            "port": {"type": "integer", "minimum": 1, "maximum": 9},
            "modes": {"type": "array", "maxItems": 2, "items": {"type": "string", "enum": ["On", "Off"]}},
        },
    }));
    let path = SchemaPath::root().with(Step::Field("port".to_owned()));
    // A rule of the caller.
    let search =
        || Search::new(&of, Map::new(), Vec::new(), |_, object: &Value| is_valid(&of, object) && object["port"] != 5);
    let found = search().varied(&path, 100, 7);
    assert_eq!(found.len(), 100);
    let different = found.iter().map(ToString::to_string).collect::<std::collections::BTreeSet<_>>();
    assert_eq!(different.len(), 100);
    assert!(
        found.iter().all(|object| is_valid(&of, object) && object["port"].is_u64() && object["port"] != 5),
        "{found:?}"
    );
    for edge in [json!(1), json!(9)] {
        assert!(found.iter().any(|object| object["port"] == edge), "{edge}");
    }
    assert!(found.iter().any(|object| object["modes"] == json!(["On", "Off"])), "{found:?}");
    assert_eq!(search().varied(&path, 100, 7), found);
    assert_ne!(search().varied(&path, 100, 8), found);
    // The same first objects, and none without a value there.
    assert_eq!(search().varied(&path, 1, 7), found[..1]);
    let nowhere = SchemaPath::root().with(Step::Field("other".to_owned()));
    assert!(search().varied(&nowhere, 100, 7).is_empty());
}
