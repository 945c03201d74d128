//! A value and a list of one; a value and an object with one field.

use serde_json::{Map, Value};

pub(super) fn in_list(value: Value) -> Value {
    Value::Array(vec![value])
}

/// The item of a list of one.
pub(super) fn from_list(value: Value) -> Result<Value, String> {
    let Value::Array(mut items) = value else { return Err("the value is not a list".to_owned()) };
    match items.pop() {
        Some(item) if items.is_empty() => Ok(item),
        None => Err("the list is empty, and the new form needs one item".to_owned()),
        Some(_) => Err(format!("the list has {} items, and the new form has room for one", items.len() + 1)),
    }
}

/// The first item of a list, if it has one.
pub(super) fn first(value: Value) -> Result<Option<Value>, String> {
    let Value::Array(items) = value else { return Err("the value is not a list".to_owned()) };
    Ok(items.into_iter().next())
}

pub(super) fn in_object(value: Value, field: &str) -> Value {
    Value::Object(Map::from_iter([(field.to_owned(), value)]))
}

/// The value of the only field.
pub(super) fn from_object(value: Value, field: &str) -> Result<Value, String> {
    let Value::Object(mut object) = value else { return Err("the value is not an object".to_owned()) };
    let inner = object.remove(field);
    match (inner, object.keys().next()) {
        (Some(inner), None) => Ok(inner),
        (_, Some(other)) => {
            Err(format!("the object has the field `{other}`, and the new form has room for `{field}` only"))
        }
        (None, None) => Err(format!("the object does not have the field `{field}`")),
    }
}

/// The value of a field, if the object has it.
pub(super) fn member(value: Value, field: &str) -> Result<Option<Value>, String> {
    let Value::Object(mut object) = value else { return Err("the value is not an object".to_owned()) };
    Ok(object.remove(field))
}
