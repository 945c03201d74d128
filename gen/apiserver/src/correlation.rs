//! The stored value of each part of an object.
//!
//! Invariants, those of the server:
//! * Fields and keys correlate by name, items of a list of type `map` by their keys; other items do not correlate.
//! * What the schema does not describe does not correlate, so that an object with such a field is never equal to its stored value.
//! * The order of the items of a list of type `map` does not count.

use std::collections::HashMap;

use crd_model::schema::Schema;
use serde_json::Value;

use crate::go_text;
use crate::numbers::{Numeric, is_same};

/// A part of an object, with its stored value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Correlation<'v> {
    schema: &'v Schema,
    old: &'v Value,
    new: &'v Value,
}

impl<'v> Correlation<'v> {
    pub(crate) fn of(schema: &'v Schema, old: &'v Value, new: &'v Value) -> Self {
        Self { schema, old, new }
    }

    /// A field or key. `apiVersion` and `kind` of the root do not correlate: a server converts both objects to one version before.
    pub(crate) fn member(&self, name: &str, is_root: bool) -> Option<Self> {
        if is_root && matches!(name, "apiVersion" | "kind") {
            return None;
        }
        let (old, new) = (self.old.as_object()?.get(name)?, self.new.as_object()?.get(name)?);
        let schema = self.schema.properties.get(name).or_else(|| self.schema.values())?;
        Some(Self { schema, old, new })
    }

    /// The stored items of a list.
    pub(crate) fn items(&self) -> Items<'v> {
        let stored = self.old.as_array().map(Vec::as_slice).unwrap_or_default();
        Items { schema: self.schema.items.as_deref(), stored: StoredItems::of(self.schema, stored) }
    }

    /// Whether the part is equal to its stored value.
    pub(crate) fn is_equal(&self) -> bool {
        match (self.old, self.new) {
            (Value::Array(old), Value::Array(new)) => {
                if old.len() != new.len() {
                    return false;
                }
                let items = self.items();
                if items.stored.is_keyed() {
                    return new.iter().all(|item| items.of(item).is_some_and(|item| item.is_equal()));
                }
                is_same(self.old, self.new)
            }
            (Value::Object(old), Value::Object(new)) => {
                old.len() == new.len()
                    && new.keys().all(|name| self.member(name, false).is_some_and(|member| member.is_equal()))
            }
            (old, new) => is_same(old, new),
        }
    }
}

/// The stored items of a list, with the schema of its items.
pub(crate) struct Items<'v> {
    schema: Option<&'v Schema>,
    stored: StoredItems<'v>,
}

impl<'v> Items<'v> {
    pub(crate) fn of(&self, item: &'v Value) -> Option<Correlation<'v>> {
        Some(Correlation { schema: self.schema?, old: self.stored.get(item)?, new: item })
    }
}

/// The items of a list of type `map`, by their keys. Of two items with the same keys, the first counts.
pub(crate) struct StoredItems<'v> {
    /// Nothing for lists of another type.
    keys: &'v [crd_model::schema::Text],
    by_key: HashMap<String, &'v Value>,
}

impl<'v> StoredItems<'v> {
    pub(crate) fn of(schema: &'v Schema, items: &'v [Value]) -> Self {
        let is_map = schema.kind.as_deref() == Some("array") && schema.list_type.as_deref() == Some("map");
        let keys = if is_map && !items.is_empty() { &schema.list_map_keys[..] } else { &[] };
        let mut by_key = HashMap::with_capacity(if keys.is_empty() { 0 } else { items.len() });
        for item in items {
            if let Some(key) = key_of(keys, item) {
                by_key.entry(key).or_insert(item);
            }
        }
        Self { keys, by_key }
    }

    fn is_keyed(&self) -> bool {
        !self.keys.is_empty()
    }

    /// The stored item with the keys of an item.
    pub(crate) fn get(&self, item: &Value) -> Option<&'v Value> {
        self.by_key.get(&key_of(self.keys, item)?).copied()
    }
}

/// The keys of an item as one text; nothing if a key is absent or not a scalar.
fn key_of(keys: &[crd_model::schema::Text], item: &Value) -> Option<String> {
    let item = item.as_object().filter(|_| !keys.is_empty())?;
    let mut text = String::new();
    for key in keys {
        match item.get(key.as_ref())? {
            Value::String(value) => text.push_str(&go_text::quoted(value)),
            Value::Bool(value) => text.push_str(&value.to_string()),
            Value::Number(number) => match Numeric::of(number) {
                Numeric::Integer(integer) => text.push_str(&integer.to_string()),
                // Several keys are compared by their texts, in which 1.5 and 1.5000000001 are one.
                Numeric::Float(float) if keys.len() > 1 => text.push_str(&format!("{float:.6}")),
                Numeric::Float(float) => text.push_str(&format!("{float:?}")),
            },
            Value::Null | Value::Array(_) | Value::Object(_) => return None,
        }
        text.push('\0');
    }
    Some(text)
}
