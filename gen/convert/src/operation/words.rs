//! Operations in words, and values that they convert.
//!
//! Invariants: a sentence has no full stop, and names are in backticks. It is about forward conversion.

use serde_json::{Value, json};

use super::template::Template;
use super::{Operation, TextForm};
use crate::path::Path;

/// The text in examples.
pub(crate) const TEXT: &str = "example";

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

impl Operation {
    /// What forward conversion does.
    #[must_use]
    pub fn words(&self) -> String {
        // In one place, the new value has the name of the old one.
        let at = |to: &Path| if self.is_in_place() { String::new() } else { format!(" {}", code(to)) };
        match self {
            Self::Rename { from, to } => format!("{} is renamed to {}", code(from), code(to)),
            Self::Move { from, to } => format!("{} moves to {}", code(from), code(to)),
            Self::WrapInList { from, to } => format!("{} becomes the only item of the list {}", code(from), code(to)),
            Self::UnwrapList { from, to } => format!("the only item of the list {} becomes {}", code(from), code(to)),
            Self::WrapInObject { from, to, field } => {
                format!("{} becomes the field {} of the object {}", code(from), code(field), code(to))
            }
            Self::UnwrapObject { from, to, field } => {
                format!("the field {} of the object {} becomes {}", code(field), code(from), code(to))
            }
            Self::ListToMap { from, to, key, value } => {
                let value = value.as_ref().map_or("the rest of it".to_owned(), code);
                let (key, from) = (code(key), code(from));
                format!(
                    "the list {from} becomes the map{}: {key} of each item is the key, and {value} the value",
                    at(to)
                )
            }
            Self::MapToList { from, to, key, value } => {
                let value = value.as_ref().map_or("the other fields".to_owned(), code);
                let (key, from) = (code(key), code(from));
                format!(
                    "the map {from} becomes the list{}: {key} of each item is the key, and {value} the value",
                    at(to)
                )
            }
            Self::Values { from, to, values, .. } => {
                let moved = if self.is_in_place() { String::new() } else { format!(" becomes {}, and", code(to)) };
                let values = list(values.iter().map(|(old, new)| format!("{} becomes {}", code(old), code(new))));
                format!("{}{moved} has other values: {values}", code(from))
            }
            Self::Scale { from, to, multiply, divide } => {
                let factor = match (multiply, divide) {
                    (_, 1) => format!("multiplied by {multiply}"),
                    (1, _) => format!("divided by {divide}"),
                    _ => format!("multiplied by {multiply} and divided by {divide}"),
                };
                format!("{} becomes {}, {factor}", code(from), code(to))
            }
            Self::Split { from, to, text } => {
                format!("{} of the form {} becomes {}", code(from), code(&text.template), list(to.values().map(code)))
            }
            Self::Join { from, to, text } => {
                format!("{} become {} of the form {}", list(from.values().map(code)), code(to), code(&text.template))
            }
            Self::Default { path, value } => {
                format!("{} becomes required: older objects get {}", code(path), code(value))
            }
            Self::Constant { path, value } => format!("{} is removed: it is always {}", code(path), code(value)),
            Self::Drop { path, .. } => format!("{} is removed", code(path)),
            Self::Code { name, from, to } => {
                let (from, to) = (list(from.iter().map(code)), list(to.iter().map(code)));
                format!("{from} becomes {to}, by the functions {}", code(name))
            }
        }
    }

    /// What backward conversion cannot express in the old form. It is in the conversion data, and returns with forward conversion.
    #[must_use]
    pub fn leaves_out(&self) -> Option<String> {
        match self {
            Self::WrapInList { to, .. } => Some(format!("items of {} after the first one", code(to))),
            Self::WrapInObject { to, field, .. } => Some(format!("fields of {} other than {}", code(to), code(field))),
            Self::MapToList { to, key, .. } => {
                Some(format!("items of {} with the same {}, or in another order", code(to), code(key)))
            }
            Self::Values { to, nearest, .. } if !nearest.is_empty() => {
                Some(format!("the values {} of {}", list(nearest.keys().map(code)), code(to)))
            }
            Self::Scale { to, multiply, divide, .. } if divide.checked_rem(*multiply) != Some(0) => {
                Some(format!("values of {} that no integer in the old unit gives", code(to)))
            }
            Self::Split { to, text, .. } => Some(format!(
                "values of {} that the form {} cannot contain",
                list(to.values().map(code)),
                code(&text.template)
            )),
            Self::Join { to, text, .. } => {
                Some(format!("values of {} that are not of the form {}", code(to), code(&text.template)))
            }
            Self::Default { path, value } => Some(format!("values of {} other than {}", code(path), code(value))),
            Self::Code { to, .. } => {
                Some(format!("parts of {} that the old form cannot express", list(to.iter().map(code))))
            }
            _ => None,
        }
    }

    /// Old values that forward conversion accepts, by their places. Operations that convert every value have no value of their own.
    pub(crate) fn sample(&self) -> Vec<(&Path, Option<Value>)> {
        let items = |key: &str, value: &Option<String>| {
            let item = |name: &str| json!({key: name, value.as_deref().unwrap_or(TEXT): format!("{TEXT}-{name}")});
            json!([item("a"), item("b")])
        };
        let entries = |value: &Option<String>| {
            let entry = |name: &str| match value {
                Some(_) => json!(format!("{TEXT}-{name}")),
                None => json!({TEXT: name}),
            };
            json!({"a": entry("a"), "b": entry("b")})
        };
        match self {
            Self::UnwrapList { from, .. } => vec![(from, Some(json!([TEXT])))],
            Self::UnwrapObject { from, field, .. } => vec![(from, Some(json!({field: TEXT})))],
            Self::ListToMap { from, key, value, .. } => vec![(from, Some(items(key, value)))],
            Self::MapToList { from, value, .. } => vec![(from, Some(entries(value)))],
            Self::Values { from, values, .. } => vec![(from, values.keys().next().map(|old| json!(old)))],
            // A multiple of the divisor gives an integer.
            Self::Scale { from, divide, .. } => vec![(from, Some(json!(u64::from(*divide) * 5)))],
            Self::Split { from, text, .. } => vec![(from, structured(text))],
            Self::Join { from, text, .. } => {
                let template = Template::new(from, text, &mut Vec::new());
                let parts = template.and_then(|template| template.split(vec![structured(text)]).ok());
                from.values().zip(parts.unwrap_or_else(|| vec![None; from.len()])).collect()
            }
            Self::Constant { path, value } => vec![(path, Some(value.clone()))],
            // Their example is a whole item.
            Self::Code { .. } => Vec::new(),
            _ => self.reads().into_iter().map(|place| (place, None)).collect(),
        }
    }
}

/// A string of a form.
fn structured(text: &TextForm) -> Option<Value> {
    crd_regexp::inclusion::example(&text.pattern, 1, None).map(Value::from)
}
