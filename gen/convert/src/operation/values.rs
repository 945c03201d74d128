//! Values of an enum that have other names.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::Invalid;

#[derive(Clone, Debug)]
pub(crate) struct Values {
    new: BTreeMap<String, String>,
    old: BTreeMap<String, String>,
    nearest: BTreeMap<String, String>,
    merged: BTreeSet<String>,
}

impl Values {
    pub(super) fn new(
        values: &BTreeMap<String, String>,
        nearest: &BTreeMap<String, String>,
        merged: &BTreeSet<String>,
        is_in_place: bool,
        invalid: &mut Vec<Invalid>,
    ) -> Self {
        if values.is_empty() {
            invalid.push(Invalid::new("values", "no value has a new name", "write old and new values"));
        }
        let mut old = BTreeMap::new();
        for (from, to) in values {
            if !merged.contains(from)
                && let Some(first) = old.insert(to.clone(), from.clone())
            {
                invalid.push(Invalid::new(
                    "values",
                    format!("`{first}` and `{from}` both become `{to}`, so one of them does not return"),
                    "list all of them except one in `merged`, and write `keeps` if each value must return",
                ));
            }
            if values.contains_key(to) {
                let why = match is_in_place {
                    true => "so the old and the new form cannot be distinguished",
                    false => "so a string that is not listed could not be converted back",
                };
                invalid.push(Invalid::new(
                    "values",
                    format!("`{to}` is an old value and a new value, {why}"),
                    "use names that the old form does not have",
                ));
            }
        }
        for from in merged {
            let message = match values.get(from) {
                None => format!("`{from}` is not an old value in `values`"),
                Some(to) if !old.contains_key(to) => format!("every old value that becomes `{to}` is in `merged`"),
                Some(_) => continue,
            };
            let help = "leave out the old value that backward conversion gives";
            invalid.push(Invalid::new("merged", message, help));
        }
        for (new, old_value) in nearest {
            if old.contains_key(new) {
                invalid.push(Invalid::new(
                    "nearest",
                    format!("`{new}` has an exact old value already"),
                    format!("remove it from `nearest`, or change `{old_value}` in `values`"),
                ));
            }
        }
        Self { new: values.clone(), old, nearest: nearest.clone(), merged: merged.clone() }
    }

    /// Whether two old values are equal, or one is the other one's value after both directions.
    pub(super) fn is_same(&self, expected: &Value, found: &Value) -> bool {
        let merged = expected.as_str().filter(|text| self.merged.contains(*text));
        let returned = merged.and_then(|text| self.old.get(self.new.get(text)?));
        returned.map_or(expected == found, |returned| found == returned)
    }

    pub(super) fn is_old(&self, value: &Value) -> bool {
        value.as_str().is_some_and(|text| self.new.contains_key(text))
    }

    pub(super) fn is_new(&self, value: &Value) -> bool {
        value.as_str().is_some_and(|text| self.old.contains_key(text) || self.nearest.contains_key(text))
    }

    fn named(value: Value, names: [&BTreeMap<String, String>; 2]) -> Result<Value, String> {
        let Value::String(text) = value else { return Err("the value is not a string".to_owned()) };
        let name = names.iter().find_map(|names| names.get(&text));
        Ok(Value::String(name.cloned().unwrap_or(text)))
    }

    pub(super) fn forward(&self, value: Value) -> Result<Value, String> {
        Self::named(value, [&self.new; 2])
    }

    pub(super) fn backward(&self, value: Value) -> Result<Option<Value>, String> {
        Self::named(value, [&self.old, &self.nearest]).map(Some)
    }
}
