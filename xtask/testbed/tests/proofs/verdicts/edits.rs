//! Random small changes of a schema: keywords of all kinds, defaults anywhere, names, kinds of lists, and CEL rules.

use serde_json::{Value, json};

use crate::random::dice::Dice;
use crate::random::object::valid;

/// Keeps a few properties of each object, so that several edits concern the same ones.
pub(super) fn reduce(dice: &mut Dice, node: &mut Value, most: usize) {
    for key in ["items", "additionalProperties"] {
        if node[key].is_object() {
            reduce(dice, &mut node[key], most);
        }
    }
    let names = node["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let mut kept = Vec::new();
    for name in names {
        let is_required = node["required"].as_array().is_some_and(|required| required.contains(&json!(name)));
        let properties = node["properties"].as_object_mut().expect("it has properties");
        match is_required || kept.len() < most && dice.percent(60) {
            true => kept.push(name),
            false => drop(properties.remove(&name)),
        }
    }
    for name in kept {
        reduce(dice, &mut node["properties"][name.as_str()], most.saturating_sub(1));
    }
}

/// Changes one node below `spec`.
pub(super) fn edit(dice: &mut Dice, schema: &mut Value) {
    let mut pointers = Vec::new();
    collect(&schema["properties"]["spec"], "/properties/spec".to_owned(), &mut pointers);
    let pointer = dice.pick(&pointers).clone();
    if let Some(node) = schema.pointer_mut(&pointer) {
        edit_node(dice, node);
    }
}

/// The pointers of the nodes below one.
fn collect(node: &Value, pointer: String, found: &mut Vec<String>) {
    for (name, below) in node["properties"].as_object().into_iter().flatten() {
        let name = name.replace('~', "~0").replace('/', "~1");
        collect(below, format!("{pointer}/properties/{name}"), found);
    }
    for key in ["items", "additionalProperties"] {
        if node[key].is_object() {
            collect(&node[key], format!("{pointer}/{key}"), found);
        }
    }
    found.push(pointer);
}

/// Sets a keyword, or removes it.
fn set(is_removed: bool, node: &mut Value, key: &str, value: Value) {
    match is_removed && node.get(key).is_some() {
        true => drop(node.as_object_mut().expect("a schema").remove(key)),
        false => node[key] = value,
    }
}

fn edit_node(dice: &mut Dice, node: &mut Value) {
    let is_removed = dice.percent(35);
    let kind = node["type"].as_str().unwrap_or_default().to_owned();
    match dice.below(10) {
        0 => {
            let nullable = node["nullable"] != json!(true);
            node["nullable"] = json!(nullable);
        }
        1 | 2 => {
            let default = valid(dice, node, 2);
            if !default.is_null() {
                set(is_removed, node, "default", default);
            }
        }
        3 => {
            let values = (0..1 + dice.below(3)).map(|_| valid(dice, node, 3)).collect::<Vec<_>>();
            set(is_removed, node, "enum", json!(values));
        }
        4 => {
            let rule = rule(dice, node, &kind);
            match node["x-kubernetes-validations"].as_array_mut() {
                Some(rules) if dice.percent(40) => drop(rules.pop()),
                Some(rules) => rules.push(rule),
                None => node["x-kubernetes-validations"] = json!([rule]),
            }
        }
        _ => match &*kind {
            "object" => object(dice, node),
            "array" => list(dice, node),
            "string" => text(dice, node),
            "integer" | "number" => number(dice, node),
            _ => {}
        },
    }
}

/// A rule that most nodes of this type can have.
fn rule(dice: &mut Dice, node: &Value, kind: &str) -> Value {
    let names = node["properties"].as_object().into_iter().flatten().map(|(name, _)| name.as_str());
    let names = names.filter(|name| ["a", "b", "c", "name", "port", "size", "h_i"].contains(name)).collect::<Vec<_>>();
    let rule = match kind {
        "object" if !names.is_empty() => {
            let (one, other) = (dice.one(&names), dice.one(&names));
            match dice.below(5) {
                0 => format!("!has(self.{one}) || !has(self.{other})"),
                1 => format!("has(self.{one})"),
                2 => format!("has(self.{one}) || has(self.{other})"),
                3 => format!("has(self.{one}) == has(self.{other})"),
                _ => format!("!has(self.{one})"),
            }
        }
        "array" | "string" => format!("size(self) {} {}", dice.one(&["<", ">", "<=", "!="]), dice.below(5)),
        "object" => format!("size(self) < {}", 1 + dice.below(4)),
        "integer" => format!("self {} {}", dice.one(&["<", ">", "<=", "!=", "=="]), dice.below(8)),
        "number" => format!("self {} {}.5", dice.one(&["<", ">", "<="]), dice.below(8)),
        "boolean" => dice.one(&["self", "!self"]).to_owned(),
        _ => "true".to_owned(),
    };
    json!({ "rule": rule })
}

fn object(dice: &mut Dice, node: &mut Value) {
    let is_removed = dice.percent(35);
    let count = json!(dice.below(5));
    match dice.below(8) {
        0 | 1 => set(is_removed, node, "maxProperties", count),
        2 => set(is_removed, node, "minProperties", count),
        3 => set(is_removed, node, "x-kubernetes-map-type", json!(dice.one(&["atomic", "granular"]))),
        4 if node.get("additionalProperties").is_none() => {
            set(is_removed, node, "x-kubernetes-preserve-unknown-fields", json!(true));
        }
        5 | 6 if node["properties"].is_object() => {
            let schema = [
                json!({ "type": "string" }),
                json!({ "type": "string", "default": "x" }),
                json!({ "type": "integer", "default": 1 }),
                json!({ "type": "object", "default": {}, "properties": { "a": { "type": "string", "default": "x" } } }),
                json!({ "type": "array", "items": { "type": "string" }, "default": ["a"] }),
            ];
            let schema = dice.pick(&schema).clone();
            let name = dice.one(&["a", "b", "new"]);
            node["properties"][name] = schema;
        }
        _ => {
            let names = node["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone());
            let names = names.filter(|_| dice.percent(30)).collect::<Vec<_>>();
            match names.is_empty() {
                true => drop(node.as_object_mut().expect("a schema").remove("required")),
                false => node["required"] = json!(names),
            }
        }
    }
}

fn list(dice: &mut Dice, node: &mut Value) {
    let is_removed = dice.percent(35);
    let count = json!(dice.below(5));
    match dice.below(5) {
        0 | 1 => set(is_removed, node, "maxItems", count),
        2 => set(is_removed, node, "minItems", count),
        3 if node["items"]["properties"].is_object() => {
            // A key needs a default, or must be required.
            let key = dice.one(&["k", "k-2"]);
            node["items"]["properties"][key] = json!({ "type": "string", "default": "x" });
            node["x-kubernetes-list-type"] = json!("map");
            node["x-kubernetes-list-map-keys"] = json!([key]);
        }
        _ => set(is_removed, node, "x-kubernetes-list-type", json!(dice.one(&["atomic", "set"]))),
    }
}

fn text(dice: &mut Dice, node: &mut Value) {
    let is_removed = dice.percent(35);
    let count = json!(dice.below(6));
    match dice.below(5) {
        0 => set(is_removed, node, "maxLength", count),
        1 => set(is_removed, node, "minLength", count),
        2 => {
            let format = dice.one(&[
                "date",
                "date-time",
                "duration",
                "byte",
                "ipv4",
                "uri",
                "uuid",
                "int32",
                "int64",
                "double",
                "odd",
            ]);
            set(is_removed, node, "format", json!(format));
        }
        3 => {
            let branches = json!([{ "pattern": "^a" }, { "maxLength": 3 }]);
            let junctor = dice.one(&["anyOf", "oneOf", "allOf"]);
            set(is_removed, node, junctor, branches);
        }
        _ => {
            let pattern = dice.one(&["^a", "^[a-z]*$", "^[ab]+$", "^.{0,3}$", ".", "^(a|b)*$", "^[a-z]+$"]);
            set(is_removed, node, "pattern", json!(pattern));
        }
    }
}

fn number(dice: &mut Dice, node: &mut Value) {
    let is_removed = dice.percent(35);
    let limit = match dice.below(6) {
        0 => json!(0.5),
        1 => json!(-1.5),
        2 => json!(9_223_372_036_854_775_807_i64),
        3 => json!(1e19),
        _ => json!(dice.below(12)),
    };
    match dice.below(6) {
        0 | 1 => set(is_removed, node, "minimum", limit),
        2 | 3 => set(is_removed, node, "maximum", limit),
        4 => set(is_removed, node, "format", json!(dice.one(&["int32", "int64", "float", "double", "date", "odd"]))),
        _ => set(is_removed, node, "multipleOf", json!(*dice.pick(&[1.0, 2.0, 0.5, 3.0]))),
    }
    let exclusive = dice.one(&["exclusiveMinimum", "exclusiveMaximum"]);
    if dice.percent(25) && node.get(if exclusive == "exclusiveMinimum" { "minimum" } else { "maximum" }).is_some() {
        set(is_removed, node, exclusive, json!(true));
    }
}
