//! Random structural schemas: all types, formats, kinds of lists and maps, and names that rules must escape.

use serde_json::{Map, Value, json};

use super::object;
use super::words::WORDS;
use crate::facts::group;
use crd_testdata::Dice;

/// The schema of a resource: `spec` has random properties.
pub(crate) fn resource(dice: &mut Dice) -> Value {
    let mut spec = object_of(dice, 3, 4);
    if dice.percent(20) {
        spec["default"] = json!({});
        if spec.get("required").is_some() {
            spec.as_object_mut().expect("an object").remove("required");
        }
    }
    json!({"type": "object", "properties": {"spec": spec}})
}

/// A schema whose rules are expensive to evaluate: long lists.
pub(super) fn expensive(dice: &mut Dice) -> Value {
    let list = |dice: &mut Dice| {
        let items = match dice.below(4) {
            0 => json!({"type": "integer"}),
            1 => json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}}),
            _ => json!({"type": "string"}),
        };
        let mut list = json!({"type": "array", "items": items, "maxItems": 3000});
        if dice.percent(30) && list["items"]["type"] != "object" {
            list["x-kubernetes-list-type"] = json!("set");
        }
        list
    };
    let (one, two) = (list(dice), list(dice));
    let map = json!({"type": "object", "additionalProperties": {"type": "string"}});
    json!({"type": "object", "properties": {
        "spec": {"type": "object", "properties": {"a": one, "b": two, "c": {"type": "string"}, "d": map}},
    }})
}

fn object_of(dice: &mut Dice, depth: usize, least: usize) -> Value {
    let mut properties = Map::new();
    for _ in 0..least + dice.below(4) {
        let name = dice.one(&WORDS.names);
        let schema = node(dice, depth);
        properties.insert(name.to_owned(), schema);
    }
    let mut required = Vec::new();
    for name in properties.keys() {
        if dice.percent(15) {
            required.push(json!(name));
        }
    }
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        schema["required"] = Value::Array(required);
    }
    if dice.percent(5) {
        schema["x-kubernetes-map-type"] = json!(dice.one(&["atomic", "granular"]));
    }
    schema
}

fn node(dice: &mut Dice, depth: usize) -> Value {
    let mut schema = match dice.below(if depth == 0 { 11 } else { 20 }) {
        0 | 1 => text(dice),
        2 | 3 => json!({"type": "string", "format": dice.one(&WORDS.text_formats)}),
        4 => integer(dice),
        5 => json!({"type": "integer", "format": dice.one(&["int32", "int64"])}),
        6 => match dice.below(3) {
            0 => json!({"type": "number", "minimum": -1e6, "maximum": 1e15}),
            1 => json!({"type": "number", "format": "double"}),
            _ => json!({"type": "number"}),
        },
        7 => json!({"type": "boolean"}),
        8 | 9 => json!({"x-kubernetes-int-or-string": true}),
        10 => match dice.below(3) {
            0 => json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
            1 => json!({"x-kubernetes-preserve-unknown-fields": true}),
            _ => text(dice),
        },
        11 | 12 => {
            let mut map = json!({"type": "object", "additionalProperties": node(dice, depth - 1)});
            if dice.percent(50) {
                map["maxProperties"] = json!(10);
            }
            map
        }
        13..=16 => list(dice, depth),
        17 => {
            let spec = object_of(dice, depth - 1, 1);
            let mut resource = json!({
                "type": "object", "x-kubernetes-embedded-resource": true,
                "properties": {"spec": spec},
            });
            if dice.percent(30) {
                resource["x-kubernetes-preserve-unknown-fields"] = json!(true);
            }
            resource
        }
        _ => object_of(dice, depth - 1, 1),
    };
    if dice.percent(12) {
        schema["nullable"] = json!(true);
    }
    if dice.percent(10) && schema.get("properties").is_none() {
        let default = object::valid(dice, &schema, 0);
        if !default.is_null() {
            schema["default"] = default;
        }
    }
    schema
}

fn text(dice: &mut Dice) -> Value {
    let mut schema = json!({"type": "string"});
    match dice.below(5) {
        0 => schema["enum"] = json!(["", "a", "b", "ab", "10"]),
        1 => schema["pattern"] = json!("^.{0,40}$"),
        2 | 3 => schema["maxLength"] = json!(*dice.pick(&[64, 200])),
        _ => {}
    }
    schema
}

fn integer(dice: &mut Dice) -> Value {
    match dice.below(4) {
        0 => json!({"type": "integer", "minimum": -100, "maximum": 1000}),
        1 => json!({"type": "integer", "enum": [0, 1, 2, 3]}),
        _ => json!({"type": "integer"}),
    }
}

fn list(dice: &mut Dice, depth: usize) -> Value {
    let mut schema = match dice.below(4) {
        0 => json!({"type": "array", "items": scalar(dice), "x-kubernetes-list-type": "set"}),
        1 => {
            let mut entry = object_of(dice, depth - 1, 1);
            let keys: &[&str] = if dice.percent(30) { &["k", "k-2"] } else { &["k"] };
            for key in keys {
                entry["properties"][*key] = scalar(dice);
            }
            entry["required"] = json!(keys);
            json!({"type": "array", "items": entry, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys})
        }
        _ => json!({"type": "array", "items": node(dice, depth - 1)}),
    };
    if dice.percent(50) {
        schema["maxItems"] = json!(10);
    }
    schema
}

/// A schema of items that a set can have and of keys of a list.
fn scalar(dice: &mut Dice) -> Value {
    match dice.below(6) {
        0 => json!({"type": "integer"}),
        1 => json!({"type": "boolean"}),
        2 => json!({"type": "number"}),
        3 => json!({"type": "string", "format": dice.one(&WORDS.text_formats)}),
        _ => json!({"type": "string"}),
    }
}

/// The JSON pointers of a node and of all nodes below it, the deepest first.
pub(crate) fn pointers(node: &Value, pointer: &str) -> Vec<String> {
    let properties = node["properties"].as_object().into_iter().flatten();
    let escaped = |name: &str| name.replace('~', "~0").replace('/', "~1");
    let mut found: Vec<String> = properties
        .flat_map(|(name, below)| pointers(below, &format!("{pointer}/properties/{}", escaped(name))))
        .collect();
    for key in ["items", "additionalProperties"] {
        if node[key].is_object() {
            found.extend(pointers(&node[key], &format!("{pointer}/{key}")));
        }
    }
    found.push(pointer.to_owned());
    found
}

/// Gives most texts, lists and maps a limit, on which estimates of costs depend. Removes the default, which a limit may forbid.
pub(super) fn limit(dice: &mut Dice, node: &mut Value) {
    let keyword = match node["type"].as_str() {
        Some("array") => "maxItems",
        Some("object") if node["additionalProperties"].is_object() => "maxProperties",
        Some("string") => "maxLength",
        None if node["x-kubernetes-int-or-string"] == json!(true) => "maxLength",
        _ => "",
    };
    let keywords = node.as_object_mut().expect("a schema");
    keywords.remove("default");
    keywords.remove(keyword);
    if !keyword.is_empty() && dice.percent(65) {
        node[keyword] = json!(*dice.pick(&[0, 1, 2, 5, 16, 64, 1000, 40_000]));
    }
}

/// A CRD with one version of this schema.
pub(crate) fn crd(schema: &Value) -> Value {
    group::crd("example.com", "Widget", "Namespaced", &[group::storage("v1", schema.clone())])
}
