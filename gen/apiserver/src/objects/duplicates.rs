//! JSON with the fields that it has twice, which a server reports and of which it keeps the last.

use std::cell::RefCell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::path::Path;

/// Reads one JSON value, and the paths of its repeated fields, such as `spec.a`.
///
/// # Errors
///
/// Text that is not JSON.
pub fn read_json(text: &str) -> Result<(Value, Vec<String>), serde_json::Error> {
    let found = RefCell::new(Vec::new());
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = Node { path: &Path::ROOT, found: &found }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok((value, found.into_inner()))
}

struct Node<'f> {
    path: &'f Path<'f, 'f>,
    found: &'f RefCell<Vec<String>>,
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(Node { path: &self.path.item(list.len()), found: self.found })? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            let path = self.path.field(&name);
            if object.contains_key(&name) {
                let repeated = path.trail().dotted();
                if !self.found.borrow().contains(&repeated) {
                    self.found.borrow_mut().push(repeated);
                }
            }
            let value = members.next_value_seed(Node { path: &path, found: self.found })?;
            object.insert(name, value);
        }
        Ok(Value::Object(object))
    }
}
