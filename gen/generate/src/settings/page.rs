//! The reference of the settings for people, from their JSON schema.

use crd_model::yaml::words;
use serde_json::Value;

use super::SCHEMA;

/// Every key with its sections, what it takes and what it does, by name.
pub fn rows() -> Vec<(String, String, String)> {
    let root = serde_json::from_str(SCHEMA).unwrap_or(Value::Null);
    let mut rows = Vec::new();
    section("", &root, &root, &mut rows);
    rows
}

fn section(path: &str, schema: &Value, root: &Value, rows: &mut Vec<(String, String, String)>) {
    let mut keys = schema["properties"].as_object().into_iter().flatten().collect::<Vec<_>>();
    keys.sort_by_key(|(name, _)| *name);
    for (name, schema) in keys {
        let about = schema["description"].as_str().unwrap_or_default().to_owned();
        rows.push((format!("{path}{name}"), words(schema, root), about));
        section(&format!("{path}{name}."), schema, root, rows);
    }
}

pub fn page() -> String {
    let rows = rows().into_iter().map(|(name, form, about)| format!("| `{name}` | {form} | {about} |\n"));
    format!("{}{}", include_str!("page.md"), rows.collect::<String>())
}
