//! One object with the edits of two: what both changed of the same base.
//!
//! Invariants: edits at different places are combined; edits at the same place only if they are equal. Long lists and texts stay as they are.

use serde_json::{Map, Value};

use crate::repeat::regular;

/// Two edits are about the same place.
#[derive(Debug)]
pub(super) struct Conflict;

/// The object with both edits, unless they remove it.
pub(super) fn merged(
    base: Option<&Value>,
    one: Option<&Value>,
    other: Option<&Value>,
) -> Result<Option<Value>, Conflict> {
    if one == other || other == base {
        return Ok(one.cloned());
    }
    if one == base {
        return Ok(other.cloned());
    }
    match (one, other) {
        (Some(Value::Object(one)), Some(Value::Object(other))) => {
            let base = base.and_then(Value::as_object);
            let mut all = Map::new();
            for name in one.keys().chain(other.keys().filter(|name| !one.contains_key(*name))) {
                let value = merged(base.and_then(|base| base.get(name)), one.get(name), other.get(name))?;
                all.extend(value.map(|value| (name.clone(), value)));
            }
            Ok(Some(Value::Object(all)))
        }
        (Some(Value::Array(one)), Some(Value::Array(other))) if one.len() == other.len() && one.len() <= MOST_ITEMS => {
            let base = base.and_then(Value::as_array);
            let items = one.iter().zip(other).enumerate().map(|(index, (one, other))| {
                merged(base.and_then(|base| base.get(index)), Some(one), Some(other)).ok().flatten()
            });
            items.collect::<Option<Vec<Value>>>().map(|items| Some(Value::Array(items))).ok_or(Conflict)
        }
        _ => Err(Conflict),
    }
}

/// How many items a list has at most that is merged item by item.
const MOST_ITEMS: usize = 3;

/// The value with lists that can be written in short, if their items differ in a number only.
pub(super) fn tidy(value: &Value) -> Value {
    match value {
        Value::Array(items) => regular(items).unwrap_or_else(|| items.iter().map(tidy).collect()),
        Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), tidy(value))).collect::<Map<_, _>>().into(),
        value => value.clone(),
    }
}
