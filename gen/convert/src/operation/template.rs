//! A structured string and its fields: a pattern with named groups reads it, a template writes it.

use std::collections::{BTreeMap, BTreeSet};

use crd_regexp::{Capturer, Undecided};
use serde_json::Value;

use super::form::PlaceValues;
use super::{Invalid, Places, TextForm};
use crate::path::Path;

#[derive(Clone, Debug)]
pub(crate) struct Template {
    capturer: Capturer,
    /// For each group in the order of the fields, its index in the pattern and whether it is an integer.
    groups: Vec<(usize, bool)>,
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    /// A field, by its index.
    Field(usize),
}

impl Template {
    /// Prepares the form of a string whose fields are in the order of `fields`.
    pub(super) fn new(fields: &Places, form: &TextForm, invalid: &mut Vec<Invalid>) -> Option<Self> {
        let Places::Groups(fields) = fields else { return None };
        let mut own = Vec::new();
        let template = Self::with_groups(fields, form, &mut own).filter(|_| own.is_empty());
        invalid.append(&mut own);
        template
    }

    /// The form, as far as it is valid.
    fn with_groups(fields: &BTreeMap<String, Path>, form: &TextForm, invalid: &mut Vec<Invalid>) -> Option<Self> {
        let pattern = crd_regexp::recognise(&form.pattern);
        let pattern = pattern.map_err(|error| {
            invalid.push(Invalid::new("pattern", format!("not a valid RE2 expression: {error}"), "fix the expression"));
        });
        let capturer = pattern.ok()?.capturer();
        let Some(capturer) = capturer else {
            invalid.push(Invalid::new("pattern", "the expression is too large", "lower its counts"));
            return None;
        };
        let names: BTreeSet<&str> = capturer.groups().iter().map(String::as_str).collect();
        for name in names.iter().filter(|name| !fields.contains_key(**name)) {
            let message = format!("the group `{name}` has no field");
            invalid.push(Invalid::new("pattern", message, "give it a field, or write `(?:…)`"));
        }
        for name in fields.keys().filter(|name| !names.contains(name.as_str())) {
            let message = format!("the pattern does not have the group `{name}`");
            invalid.push(Invalid::new("pattern", message, format!("write `(?P<{name}>…)`")));
        }
        for name in form.integers.iter().filter(|name| !fields.contains_key(*name)) {
            let message = format!("`{name}` is not a group with a field");
            invalid.push(Invalid::new("integers", message, "name groups of the pattern"));
        }
        let parts = parts(&form.template, fields, invalid);
        for (index, name) in fields.keys().enumerate() {
            if parts.iter().filter(|part| **part == Part::Field(index)).count() == 0 {
                let message = format!("the template does not have `{{{name}}}`, so the field would be lost");
                invalid.push(Invalid::new("template", message, format!("add `{{{name}}}`")));
            }
        }
        let group = |name: &String| {
            let index = capturer.groups().iter().position(|group| group == name)?;
            Some((index, form.integers.contains(name)))
        };
        let groups: Option<Vec<_>> = fields.keys().map(group).collect();
        groups.map(|groups| Self { capturer, groups, parts })
    }

    /// How many fields there are.
    pub(super) fn groups(&self) -> usize {
        self.groups.len()
    }

    /// The fields of a string.
    pub(super) fn split(&self, text: PlaceValues) -> Result<PlaceValues, String> {
        let Some(Some(Value::String(text))) = text.first() else { return Err("the value is not a string".to_owned()) };
        let captures = match self.capturer.captures(text) {
            Ok(Some(captures)) => captures,
            Ok(None) => return Err("the string does not match the pattern".to_owned()),
            Err(Undecided) => return Err("the pattern needs Unicode tables for this string".to_owned()),
        };
        let mut fields = Vec::new();
        for (index, is_integer) in &self.groups {
            let value = captures.get(*index).copied().flatten().map(|text| match is_integer {
                false => Ok(Value::from(text)),
                true => text.parse::<i64>().map(Value::from).map_err(|_| format!("`{text}` is not an integer")),
            });
            fields.push(value.transpose()?);
        }
        match self.write(&fields)? == *text {
            true => Ok(fields),
            false => Err("the template does not write the same string again".to_owned()),
        }
    }

    /// The string of fields. It is split into the same fields again.
    pub(super) fn join(&self, fields: PlaceValues) -> Result<PlaceValues, String> {
        let text = vec![Some(Value::from(self.write(&fields)?))];
        match self.split(text.clone())? == fields {
            true => Ok(text),
            false => Err("the string of the fields would be split into other fields".to_owned()),
        }
    }

    fn write(&self, fields: &PlaceValues) -> Result<String, String> {
        let mut text = String::new();
        for part in &self.parts {
            match part {
                Part::Text(part) => text.push_str(part),
                Part::Field(index) => {
                    let is_integer = self.groups.get(*index).is_some_and(|(_, is_integer)| *is_integer);
                    match fields.get(*index).and_then(Option::as_ref) {
                        None => {}
                        Some(Value::String(field)) if !is_integer => text.push_str(field),
                        Some(Value::Number(field)) if is_integer => text.push_str(&field.to_string()),
                        Some(_) if is_integer => return Err("a field of the string is not an integer".to_owned()),
                        Some(_) => return Err("a field of the string is not a string".to_owned()),
                    }
                }
            }
        }
        Ok(text)
    }
}

/// The parts of a template.
fn parts(template: &str, fields: &BTreeMap<String, Path>, invalid: &mut Vec<Invalid>) -> Vec<Part> {
    let (mut parts, mut text, mut rest) = (Vec::new(), String::new(), template);
    while let Some(first) = rest.chars().next() {
        let escaped = [("{{", '{'), ("}}", '}')].into_iter().find(|(sign, _)| rest.starts_with(sign));
        if let Some((sign, character)) = escaped {
            text.push(character);
            rest = &rest[sign.len()..];
        } else if let Some((name, after)) = rest.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
            match fields.keys().position(|field| field == name) {
                Some(index) => parts.extend([Part::Text(std::mem::take(&mut text)), Part::Field(index)]),
                None => {
                    let message = format!("the template has `{{{name}}}`, which is not a group with a field");
                    invalid.push(Invalid::new("template", message, "name a group, or write `{{` for a brace"));
                }
            }
            rest = after;
        } else if first == '{' || first == '}' {
            let message = format!("the template has a single `{first}`");
            invalid.push(Invalid::new("template", message, format!("write `{first}{first}`")));
            return parts;
        } else {
            text.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    parts.push(Part::Text(text));
    parts.retain(|part| *part != Part::Text(String::new()));
    parts
}
