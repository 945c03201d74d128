//! Random small changes of a schema: keywords of all kinds, defaults anywhere, names, kinds of lists, and CEL rules.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::random::object::valid;
use crate::random::schema::pointers;
use crate::tables::table;
use crd_testdata::Dice;

/// The edits that are data: `edits.yaml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct Table {
    properties: Vec<Value>,
    settings: BTreeMap<&'static str, Vec<Setting>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct Setting {
    keywords: Vec<&'static str>,
    values: Vec<Value>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| table(include_str!("edits.yaml")));

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
pub(crate) fn edit(dice: &mut Dice, schema: &mut Value) {
    let pointer = dice.pick(&pointers(&schema["properties"]["spec"], "/properties/spec")).clone();
    if let Some(node) = schema.pointer_mut(&pointer) {
        edit_node(dice, node);
    }
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
        _ => match (&*kind, dice.below(8)) {
            ("object", 0 | 1) if node["properties"].is_object() => {
                let schema = dice.pick(&TABLE.properties).clone();
                node["properties"][dice.one(&["a", "b", "new"])] = schema;
            }
            ("object", 2) => {
                let names = node["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone());
                let names = names.filter(|_| dice.percent(30)).collect::<Vec<_>>();
                set(names.is_empty(), node, "required", json!(names));
            }
            ("array", 0 | 1) if node["items"]["properties"].is_object() => {
                // A key needs a default, or must be required.
                let key = dice.one(&["k", "k-2"]);
                node["items"]["properties"][key] = json!({ "type": "string", "default": "x" });
                node["x-kubernetes-list-type"] = json!("map");
                node["x-kubernetes-list-map-keys"] = json!([key]);
            }
            (kind, _) => {
                if let Some(setting) = TABLE.settings.get(kind).map(|settings| dice.pick(settings)) {
                    let keyword = dice.one(&setting.keywords);
                    set(is_removed, node, keyword, dice.pick(&setting.values).clone());
                }
            }
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
