//! Constants of descriptors as JSON values.

use crd_markers::json::Json;
use serde_json::{Number, Value};

/// A constant as a JSON value.
pub(crate) fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Boolean(boolean) => Value::Bool(*boolean),
        Json::Integer(integer) => Value::Number((*integer).into()),
        Json::Float(float) => Number::from_f64(*float).map_or(Value::Null, Value::Number),
        Json::String(text) => Value::String((*text).to_owned()),
        Json::List(items) => Value::Array(items.iter().map(value).collect()),
        Json::Object(entries) => {
            Value::Object(entries.iter().map(|(key, entry)| ((*key).to_owned(), value(entry))).collect())
        }
    }
}
