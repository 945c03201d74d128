//! Whether a document has the shape of a JSON Schema: the keywords that the files of `gen/cli/schemas` use. It is stricter than the schema: a key
//! that is not documented is an error.
#![allow(clippy::too_many_lines, reason = "a test lists its cases")]

use serde_json::Value;

/// The schema that other schemas refer to.
const FINDINGS: &str = include_str!("../../../../cli/schemas/findings.json");

/// The supported keywords; another keyword would never be checked.
const KEYWORDS: [&str; 14] = [
    "$schema",
    "$id",
    "$defs",
    "$ref",
    "title",
    "description",
    "type",
    "required",
    "properties",
    "additionalProperties",
    "items",
    "enum",
    "const",
    "anyOf",
];

/// All errors, with their paths.
pub(super) fn errors(schema: &Value, document: &Value) -> Vec<String> {
    let mut errors = Vec::new();
    check(schema, schema, document, "", &mut errors);
    errors
}

fn check(root: &Value, schema: &Value, value: &Value, path: &str, errors: &mut Vec<String>) {
    let mut wrong = |what: String| errors.push(format!("{path}: {what}"));
    for keyword in schema.as_object().unwrap().keys() {
        assert!(KEYWORDS.contains(&&**keyword) || keyword == "minimum", "{keyword} is not supported");
    }
    if let Some(name) = schema["$ref"].as_str() {
        let (file, pointer) = name.split_once('#').unwrap();
        let findings = match file {
            "" => None,
            "findings.json" => Some(serde_json::from_str::<Value>(FINDINGS).unwrap()),
            other => panic!("{other} is not supported"),
        };
        let root = findings.as_ref().unwrap_or(root);
        let target = root.pointer(pointer).unwrap_or_else(|| panic!("{name} does not exist"));
        check(root, target, value, path, errors);
        return;
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        let mut all = Vec::new();
        for choice in choices {
            let mut of_choice = Vec::new();
            check(root, choice, value, path, &mut of_choice);
            if of_choice.is_empty() {
                return;
            }
            all.extend(of_choice);
        }
        errors.push(format!("{path}: matches no choice: {}", all.join("; ")));
        return;
    }
    if schema.get("const").is_some_and(|only| only != value) {
        wrong(format!("{value} is not {}", schema["const"]));
    }
    if schema["enum"].as_array().is_some_and(|values| !values.contains(value)) {
        wrong(format!("{value} is none of {}", schema["enum"]));
    }
    if schema["minimum"].as_f64().is_some_and(|least| value.as_f64().is_some_and(|number| number < least)) {
        wrong(format!("{value} is too small"));
    }
    let types = match &schema["type"] {
        Value::Array(types) => types.clone(),
        Value::Null => Vec::new(),
        one => vec![one.clone()],
    };
    let is = |name: &Value| match name.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{other} is not a type"),
    };
    if !types.is_empty() && !types.iter().any(is) {
        wrong(format!("{value} is not of type {}", schema["type"]));
    }
    if let (Some(items), Some(values)) = (schema.get("items"), value.as_array()) {
        for (index, value) in values.iter().enumerate() {
            check(root, items, value, &format!("{path}[{index}]"), errors);
        }
    }
    if let (Some(entries), Some(map)) = (schema.get("additionalProperties"), value.as_object()) {
        for (name, value) in map {
            check(root, entries, value, &format!("{path}.{name}"), errors);
        }
    }
    if let (Some(properties), Some(map)) = (schema["properties"].as_object(), value.as_object()) {
        for name in schema["required"].as_array().into_iter().flatten() {
            let name = name.as_str().unwrap();
            assert!(properties.contains_key(name), "{path}: {name} is required and not described");
            if !map.contains_key(name) {
                errors.push(format!("{path}: {name} is missing"));
            }
        }
        for (name, value) in map {
            match properties.get(name) {
                Some(property) => check(root, property, value, &format!("{path}.{name}"), errors),
                None => errors.push(format!("{path}: {name} is not documented")),
            }
        }
    }
}
