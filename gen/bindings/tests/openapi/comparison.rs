//! OpenAPI documents without what may differ: the list of differences between two of them. The proof `openapi` uses it too.
//!
//! Invariant: everything that is left out is listed in [`LEFT_OUT`], with the reason.

use serde_json::{Map, Value};

/// What the comparison leaves out.
#[rustfmt::skip]
#[allow(dead_code, reason = "the table is for readers")]
pub(crate) const LEFT_OUT: &[(&str, &str)] = &[
    ("info", "a server has one title and version for all CRDs; ours are those of the bundle"),
    ("descriptions of paths, operations, parameters and Kubernetes' own schemas", "we write the text"),
    ("descriptions of `apiVersion`, `kind` and `metadata` of objects and embedded objects, and of lists", "the server adds them; we write the text"),
    ("`x-kubernetes-group-version-kind` of DeleteOptions", "the server lists each group that it is built with"),
    ("names of shared parameters of v2", "the server's contain a digest of the description"),
    ("defaults of list items and map values in Kubernetes' own schemas", "1.36 writes them, 1.37 does not; ours are those of 1.37"),
    ("the order of `required`", "a set; the server keeps the author's order"),
];

/// The schemas of Kubernetes itself.
const OWN: [&str; 2] = ["io.k8s.apimachinery.", "io.k8s.api."];

/// The paths of a document and its schemas, without what is left out.
pub(crate) fn comparable(document: &Value) -> Value {
    let nothing = Value::Null;
    let shared = document.get("parameters").unwrap_or(&nothing);
    let mut paths = resolved(&document["paths"], shared);
    undescribed(&mut paths);
    let schemas = document.pointer("/components/schemas").or(document.get("definitions")).and_then(Value::as_object);
    let schemas = schemas.into_iter().flatten().map(|(name, schema)| {
        let mut schema = schema.clone();
        let is_list =
            schema.pointer("/properties/metadata").is_some_and(|meta| meta.to_string().contains(".v1.ListMeta"));
        if is_list || OWN.iter().any(|own| name.starts_with(own)) {
            undescribed(&mut schema);
            without_zero_defaults(&mut schema);
        } else {
            without_own_words(&mut schema, true);
        }
        if name.ends_with(".DeleteOptions") {
            schema.as_object_mut().map(|schema| schema.remove("x-kubernetes-group-version-kind"));
        }
        (name.clone(), schema)
    });
    let mut comparable = Map::from_iter([("schemas".to_owned(), Value::Object(schemas.collect()))]);
    comparable.insert("paths".to_owned(), paths);
    Value::Object(comparable)
}

/// A value with the shared parameters in place of the references to them.
fn resolved(value: &Value, shared: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let name = map.get("$ref").and_then(Value::as_str).and_then(|name| name.strip_prefix("#/parameters/"));
            match name {
                Some(name) => shared[name].clone(),
                None => map.iter().map(|(key, value)| (key.clone(), resolved(value, shared))).collect(),
            }
        }
        Value::Array(items) => items.iter().map(|item| resolved(item, shared)).collect(),
        other => other.clone(),
    }
}

/// Removes all descriptions.
fn undescribed(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|key, value| key != "description" || !value.is_string());
            map.values_mut().for_each(undescribed);
        }
        Value::Array(items) => items.iter_mut().for_each(undescribed),
        _ => {}
    }
}

/// Removes the defaults of list items and map values, and the `allOf` that a reference with a default has around it.
fn without_zero_defaults(schema: &mut Value) {
    for property in schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flat_map(Map::values_mut) {
        for key in ["items", "additionalProperties"] {
            let Some(below) = property.get_mut(key).filter(|below| below.is_object()) else { continue };
            below.as_object_mut().map(|below| below.remove("default"));
            if let Some([reference]) = below["allOf"].as_array().map(Vec::as_slice) {
                *below = reference.clone();
            }
        }
    }
}

/// Removes the descriptions that the server adds to objects.
fn without_own_words(schema: &mut Value, is_object: bool) {
    let is_object = is_object || schema["x-kubernetes-embedded-resource"] == true;
    let Some(schema) = schema.as_object_mut() else { return };
    for (name, property) in schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten() {
        if is_object && ["apiVersion", "kind", "metadata"].contains(&&**name) {
            undescribed(property);
        } else {
            without_own_words(property, false);
        }
    }
    for key in ["items", "additionalProperties"] {
        schema.get_mut(key).into_iter().for_each(|below| without_own_words(below, false));
    }
}

/// The differences of two documents, each with its path.
pub(crate) fn differences(ours: &Value, theirs: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare(ours, theirs, "", &mut found);
    found
}

fn compare(ours: &Value, theirs: &Value, path: &str, found: &mut Vec<String>) {
    let nothing = Value::Null;
    match (ours, theirs) {
        (Value::Object(left), Value::Object(right)) => {
            for key in left.keys().chain(right.keys().filter(|key| !left.contains_key(*key))) {
                let (left, right) = (left.get(key).unwrap_or(&nothing), right.get(key).unwrap_or(&nothing));
                compare(left, right, &format!("{path}/{key}"), found);
            }
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            let (mut left, mut right) = (left.clone(), right.clone());
            if path.ends_with("/required") {
                left.sort_by_key(Value::to_string);
                right.sort_by_key(Value::to_string);
            }
            for (index, (left, right)) in left.iter().zip(&right).enumerate() {
                compare(left, right, &format!("{path}/{index}"), found);
            }
        }
        // A server writes 1500 for 1.5e3.
        (Value::Number(left), Value::Number(right)) if left.as_f64() == right.as_f64() => {}
        _ if ours == theirs => {}
        _ => found.push(format!("{path}: ours {ours:.200}, theirs {theirs:.200}")),
    }
}
