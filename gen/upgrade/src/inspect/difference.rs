//! In what an installed CRD differs from the released one, in the words of its author: API version, path of the field, keyword.
//!
//! Invariant: both CRDs are [compared](crate::inspect::known::compared) structures. Equal CRDs have no differences, and CRDs that differ have at least one.

use std::collections::BTreeSet;

use crd_diagnostics::layout::cut;
use crd_model::CustomResourceDefinition;
use serde_json::{Value, json};

/// The most characters of a value in a message.
const LONGEST: usize = 60;

/// The differences, in the order of the paths.
pub(crate) fn differences(released: &CustomResourceDefinition, installed: &CustomResourceDefinition) -> Vec<String> {
    let mut found = Vec::new();
    let specs = [released, installed].map(|crd| crd.to_value()["spec"].take());
    let [mut released, mut installed] = specs;
    let versions = [&mut released, &mut installed].map(|spec| spec["versions"].take());
    walk("", false, &released, &installed, &mut found);
    let names = versions.iter().flat_map(|versions| versions.as_array().into_iter().flatten());
    let names = names.filter_map(|version| version["name"].as_str()).collect::<BTreeSet<_>>();
    for name in names {
        let of = |versions: &Value| {
            let mut all = versions.as_array().into_iter().flatten();
            all.find(|version| version["name"] == name).cloned()
        };
        match [&versions[0], &versions[1]].map(of) {
            [Some(released), Some(installed)] => walk(&format!("{name} "), false, &released, &installed, &mut found),
            [Some(_), None] => found.push(format!("the version {name} is missing")),
            [None, Some(_)] => found.push(format!("the version {name} is added")),
            [None, None] => {}
        }
    }
    if found.is_empty() && released_order(&versions[0]) != released_order(&versions[1]) {
        found.push("the versions have another order".to_owned());
    }
    found
}

fn released_order(versions: &Value) -> Vec<&str> {
    versions.as_array().into_iter().flatten().filter_map(|version| version["name"].as_str()).collect()
}

/// Compares two parts at a path. `is_fields` is whether the keys are names of fields, not keywords.
fn walk(path: &str, is_fields: bool, released: &Value, installed: &Value, found: &mut Vec<String>) {
    match (released, installed) {
        _ if released == installed => {}
        (Value::Object(old), Value::Object(new)) => {
            for key in old.keys().chain(new.keys()).collect::<BTreeSet<_>>() {
                let below = if is_fields { field(path, key) } else { keyword(path, key) };
                let is_fields = !is_fields && key == "properties";
                // The first field of an object is a field that is added, and the last one a field that is missing.
                let none = json!({});
                match [old, new].map(|all| all.get(key).or(is_fields.then_some(&none))) {
                    [Some(old), Some(new)] => walk(&below, is_fields, old, new, found),
                    [Some(old), None] => found.push(format!("{below} is missing{}", value(" (released: ", old))),
                    [None, Some(new)] => found.push(format!("{below} is added{}", value(" (", new))),
                    [None, None] => {}
                }
            }
        }
        _ => found.push(format!(
            "{path} is {}, released: {}",
            cut(&installed.to_string(), LONGEST),
            cut(&released.to_string(), LONGEST)
        )),
    }
}

/// A path as people write it: the keywords of schemas that only nest are left out.
fn keyword(path: &str, key: &str) -> String {
    match key {
        "schema" | "openAPIV3Schema" | "properties" => path.to_owned(),
        "items" | "additionalProperties" => format!("{path}[*]"),
        _ => field(path, key),
    }
}

/// The path of a key. An API version is before its first field.
fn field(path: &str, key: &str) -> String {
    let separator = if path.is_empty() || path.ends_with(' ') { "" } else { "." };
    format!("{path}{separator}{key}")
}

/// A scalar in parentheses; nothing for what is too large to show.
fn value(before: &str, value: &Value) -> String {
    match value {
        Value::Object(_) => String::new(),
        _ => format!("{before}{})", cut(&value.to_string(), LONGEST)),
    }
}
