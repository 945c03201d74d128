//! Lists of type `set` and `map` (`x-kubernetes-list-type`): no item twice, no keys twice.
//!
//! Invariants: the second of equal items is reported, once. In an update, nothing is reported if the stored object has such an error.

use std::collections::HashMap;

use crd_model::schema::{AdditionalProperties, Schema};
use serde_json::{Map, Value};

use super::error::{ErrorKind, Report, Shown};
use super::go_text;
use super::path::Path;
use crate::validate::numbers::Numeric;

pub(super) fn check(schema: &Schema, object: &Value, report: &mut Report) {
    members(schema, object, &mut Path::root(), report);
}

pub(super) fn check_update(schema: &Schema, old: &Value, object: &Value, report: &mut Report) {
    let before = report.errors.len();
    check(schema, object, report);
    if report.errors.len() > before {
        let mut of_old = Report::new(report.minor);
        check(schema, old, &mut of_old);
        if !of_old.errors.is_empty() {
            report.errors.truncate(before);
        }
    }
}

fn members<'v>(schema: &Schema, value: &'v Value, path: &mut Path<'v>, report: &mut Report) {
    let Some(object) = value.as_object() else { return };
    if let Some(AdditionalProperties::Values(values)) = &schema.additional_properties {
        for (name, member) in object {
            path.push_key(name);
            node(values, member, path, report);
            path.pop();
        }
    }
    for (name, member) in object {
        if let Some(property) = schema.properties.get(name.as_str()) {
            path.push_field(name);
            node(property, member, path, report);
            path.pop();
        }
    }
}

fn node<'v>(schema: &Schema, value: &'v Value, path: &mut Path<'v>, report: &mut Report) {
    match value {
        Value::Array(items) => {
            match schema.list_type.as_deref() {
                Some("set") => {
                    for index in repeated(items.iter().map(|item| Some(identity(item)))) {
                        duplicate(path, index, &items[index], report);
                    }
                }
                Some("map") => keys(schema, items, path, report),
                _ => {}
            }
            let Some(below) = &schema.items else { return };
            for (index, item) in items.iter().enumerate() {
                path.push_item(index);
                node(below, item, path, report);
                path.pop();
            }
        }
        Value::Object(_) => members(schema, value, path, report),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn keys<'v>(schema: &Schema, items: &'v [Value], path: &mut Path<'v>, report: &mut Report) {
    if let Some((index, item)) = items.iter().enumerate().find(|(_, item)| !item.is_object() && !item.is_null()) {
        path.push_item(index);
        report.error(ErrorKind::Invalid, path, Shown::Value(item), "must be an object for an array of list-type map");
        path.pop();
        return;
    }
    let key = |item: &Value| -> Map<String, Value> {
        let keys = schema.list_map_keys.iter();
        keys.filter_map(|key| Some((key.to_string(), item.get(key.as_ref())?.clone()))).collect()
    };
    // One key is compared as it is, several as JSON, in which 1 and 1.0 are one.
    let repeated = match &schema.list_map_keys[..] {
        [single] => repeated(items.iter().map(|item| item.get(single.as_ref()).map(identity))),
        _ => repeated(items.iter().map(|item| Some(go_text::json(&Value::Object(key(item)))))),
    };
    for index in repeated {
        duplicate(path, index, &Value::Object(key(&items[index])), report);
    }
}

fn duplicate<'v>(path: &mut Path<'v>, index: usize, value: &Value, report: &mut Report) {
    path.push_item(index);
    report.error(ErrorKind::Duplicate, path, Shown::Value(value), "");
    path.pop();
}

/// The second place of each identity. All items without one count as equal.
fn repeated(identities: impl ExactSizeIterator<Item = Option<String>>) -> Vec<usize> {
    if identities.len() <= 1 {
        return Vec::new();
    }
    let mut seen: HashMap<Option<String>, usize> = HashMap::new();
    let mut places = Vec::new();
    for (index, identity) in identities.enumerate() {
        let times = seen.entry(identity).or_default();
        *times += 1;
        if *times == 2 {
            places.push(index);
        }
    }
    places
}

/// A text that two items have in common exactly when they are equal to the server.
fn identity(item: &Value) -> String {
    match item {
        Value::Number(number) => match Numeric::of(number) {
            Numeric::Integer(integer) => integer.to_string(),
            Numeric::Float(float) => format!("{float:?}f"),
        },
        other => go_text::json(other),
    }
}
