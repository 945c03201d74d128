//! A list of objects and a map: a field of each item is its key.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::Invalid;

#[derive(Clone, Debug)]
pub(crate) struct Keyed {
    key: String,
    value: Option<String>,
}

impl Keyed {
    pub(super) fn new(key: &str, value: Option<&str>, invalid: &mut Vec<Invalid>) -> Self {
        if value == Some(key) {
            invalid.push(Invalid::new("value", "the key and the value have the same field", "write another field"));
        }
        Self { key: key.to_owned(), value: value.map(str::to_owned) }
    }

    /// The map of a list.
    pub(super) fn map(&self, list: Value) -> Result<Value, String> {
        let Value::Array(items) = list else { return Err("the value is not a list".to_owned()) };
        let mut map = Map::new();
        for (index, item) in items.into_iter().enumerate() {
            let Value::Object(mut item) = item else { return Err(format!("item {index} is not an object")) };
            let Some(Value::String(key)) = item.remove(&self.key) else {
                return Err(format!("item {index} does not have the key `{}` as a string", self.key));
            };
            let value = match &self.value {
                None => Value::Object(item),
                Some(field) => super::wrap::from_object(Value::Object(item), field)
                    .map_err(|_| format!("item {index} must have the fields `{}` and `{field}` only", self.key))?,
            };
            if map.contains_key(&key) {
                return Err(format!("two items have the key `{key}`"));
            }
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }

    /// The list of a map, in the order of the keys.
    pub(super) fn list(&self, map: Value) -> Result<Value, String> {
        let Value::Object(map) = map else { return Err("the value is not a map".to_owned()) };
        let item = |(key, value): (String, Value)| {
            let mut item = match (&self.value, value) {
                (Some(field), value) => Map::from_iter([(field.clone(), value)]),
                (None, Value::Object(object)) => object,
                (None, _) => return Err(format!("the value of `{key}` is not an object")),
            };
            match item.contains_key(&self.key) {
                true => Err(format!("the value of `{key}` already has the field `{}`", self.key)),
                false => {
                    item.insert(self.key.clone(), Value::String(key));
                    Ok(Value::Object(item))
                }
            }
        };
        let sorted: BTreeMap<String, Value> = map.into_iter().collect();
        sorted.into_iter().map(item).collect::<Result<_, _>>().map(Value::Array)
    }

    /// Whether two lists have the same items, in any order.
    pub(super) fn is_same(&self, one: &Value, other: &Value) -> bool {
        let map = |list: &Value| self.map(list.clone());
        map(one).is_ok() && map(one) == map(other)
    }
}
