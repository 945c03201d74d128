//! Operations in words, and values that they convert.
//!
//! Invariants: a sentence has no full stop, and names are in backticks. It is about forward conversion.

use serde_json::{Value, json};

use super::template::Template;
use super::{Operation, OperationKind, Places, TextForm};
use crate::path::{Path, TEXT};

fn code(name: impl std::fmt::Display) -> String {
    format!("`{name}`")
}

/// `a, b and c`.
fn list(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.collect();
    match names.split_last() {
        Some((last, first)) if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => names.concat(),
    }
}

/// The places in words.
fn names(places: &Places) -> String {
    list(places.paths().into_iter().map(code))
}

impl Operation {
    /// What forward conversion does.
    #[must_use]
    pub fn words(&self) -> String {
        let [from, to] = [&self.from, &self.to].map(names);
        // In one place, the new value has the name of the old one.
        let (at, moved) = match self.is_in_place() {
            true => (String::new(), String::new()),
            false => (format!(" {to}"), format!(" becomes {to}, and")),
        };
        match &self.kind {
            OperationKind::Rename => format!("{from} is renamed to {to}"),
            OperationKind::Move => format!("{from} moves to {to}"),
            OperationKind::WrapInList => format!("{from} becomes the only item of the list {to}"),
            OperationKind::UnwrapList => format!("the only item of the list {from} becomes {to}"),
            OperationKind::WrapInObject { field } => {
                format!("{from} becomes the field {} of the object {to}", code(field))
            }
            OperationKind::UnwrapObject { field } => {
                format!("the field {} of the object {from} becomes {to}", code(field))
            }
            OperationKind::ListToMap { key, value } => {
                let (key, value) = (code(key), value.as_ref().map_or("the rest of it".to_owned(), code));
                format!("the list {from} becomes the map{at}: {key} of each item is the key, and {value} the value")
            }
            OperationKind::MapToList { key, value } => {
                let (key, value) = (code(key), value.as_ref().map_or("the other fields".to_owned(), code));
                format!("the map {from} becomes the list{at}: {key} of each item is the key, and {value} the value")
            }
            OperationKind::Values { values, .. } => {
                let values = list(values.iter().map(|(old, new)| format!("{} becomes {}", code(old), code(new))));
                format!("{from}{moved} has other values: {values}")
            }
            OperationKind::Scale { multiply, divide } => {
                let factor = match (multiply, divide) {
                    (_, 1) => format!("multiplied by {multiply}"),
                    (1, _) => format!("divided by {divide}"),
                    _ => format!("multiplied by {multiply} and divided by {divide}"),
                };
                format!("{from} becomes {to}, {factor}")
            }
            OperationKind::Split(text) => format!("{from} of the form {} becomes {to}", code(&text.template)),
            OperationKind::Join(text) => format!("{from} become {to} of the form {}", code(&text.template)),
            OperationKind::Default(value) => format!("{to} becomes required: older objects get {}", code(value)),
            OperationKind::Constant(value) => format!("{from} is removed: it is always {}", code(value)),
            OperationKind::Drop { .. } => format!("{from} is removed"),
            OperationKind::Code { name } => {
                let verb = if self.from.paths().len() > 1 { "become" } else { "becomes" };
                format!("{from} {verb} {to}, by the functions {}", code(name))
            }
        }
    }

    /// What backward conversion cannot express in the old form. It is in the conversion data, and returns with forward conversion.
    #[must_use]
    pub fn leaves_out(&self) -> Option<String> {
        let to = names(&self.to);
        Some(match &self.kind {
            OperationKind::WrapInList => format!("items of {to} after the first one"),
            OperationKind::WrapInObject { field } => format!("fields of {to} other than {}", code(field)),
            OperationKind::MapToList { key, .. } => {
                format!("items of {to} with the same {}, or in another order", code(key))
            }
            OperationKind::Values { nearest, .. } if !nearest.is_empty() => {
                format!("the values {} of {to}", list(nearest.keys().map(code)))
            }
            OperationKind::Scale { multiply, divide } if divide.checked_rem(*multiply) != Some(0) => {
                format!("values of {to} that no integer in the old unit gives")
            }
            OperationKind::Split(text) => {
                format!("values of {to} that the form {} cannot contain", code(&text.template))
            }
            OperationKind::Join(text) => format!("values of {to} that are not of the form {}", code(&text.template)),
            OperationKind::Default(value) => format!("values of {to} other than {}", code(value)),
            OperationKind::Code { .. } => format!("parts of {to} that the old form cannot express"),
            _ => return None,
        })
    }

    /// Old values that forward conversion accepts, by their places. Operations that convert every value have no value of their own.
    pub(crate) fn sample(&self) -> Vec<(&Path, Option<Value>)> {
        let text = |name: &str| json!(format!("{TEXT}-{name}"));
        let value = match &self.kind {
            OperationKind::UnwrapList => Some(json!([TEXT])),
            OperationKind::UnwrapObject { field } => Some(json!({field: TEXT})),
            OperationKind::ListToMap { key, value } => {
                let item = |name: &str| json!({key: name, value.as_deref().unwrap_or(TEXT): text(name)});
                Some(json!([item("a"), item("b")]))
            }
            OperationKind::MapToList { value, .. } => {
                let entry = |name: &str| if value.is_some() { text(name) } else { json!({TEXT: name}) };
                Some(json!({"a": entry("a"), "b": entry("b")}))
            }
            OperationKind::Values { values, .. } => values.keys().next().map(|old| json!(old)),
            // A multiple of the divisor gives an integer.
            OperationKind::Scale { divide, .. } => Some(json!(u64::from(*divide) * 5)),
            OperationKind::Split(text) => structured(text),
            OperationKind::Join(text) => {
                let template = Template::new(&self.from, text, &mut Vec::new());
                let parts = template.and_then(|template| template.split(vec![structured(text)]).ok());
                let parts = parts.into_iter().flatten().chain(std::iter::repeat(None));
                return self.reads().into_iter().zip(parts).collect();
            }
            OperationKind::Constant(value) => Some(value.clone()),
            // Their example is a whole item.
            OperationKind::Code { .. } => return Vec::new(),
            _ => None,
        };
        self.reads().into_iter().map(|place| (place, value.clone())).collect()
    }
}

/// A string of a form.
fn structured(text: &TextForm) -> Option<Value> {
    crd_regexp::inclusion::example(&text.pattern, 1, None).map(Value::from)
}
