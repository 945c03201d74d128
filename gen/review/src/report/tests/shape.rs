//! Whether a document has the shape of a JSON Schema of `gen/cli/schemas`, by an independent implementation. It is stricter than the schema: a key
//! that is not documented is an error.

use serde_json::{Value, json};

/// All errors, with their places.
pub(super) fn errors(schema: &Value, document: &Value) -> Vec<String> {
    let validator = jsonschema::validator_for(&strict(schema.clone())).unwrap();
    validator.iter_errors(document).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

/// The schema without keys that it does not describe.
fn strict(schema: Value) -> Value {
    match schema {
        Value::Object(map) => {
            let mut map = map.into_iter().map(|(key, part)| (key, strict(part))).collect::<serde_json::Map<_, _>>();
            if map.contains_key("properties") {
                map.entry("additionalProperties").or_insert(json!(false));
            }
            Value::Object(map)
        }
        Value::Array(items) => items.into_iter().map(strict).collect(),
        other => other,
    }
}
