//! A file of one document that is checked against a JSON schema.
//!
//! Invariants: of the schema, these keywords are read: `type`, `properties`, `additionalProperties`, `required`, `items`, `minItems`, `uniqueItems`, `pattern`, `maxLength`,
//! `maximum`, `enum`, `anyOf` of a value and a list or a number, `$ref`, and `x-help`, which explains a text. All problems are reported together, each at the line of its key or item.

use std::collections::BTreeSet;

use crd_names::nearest;
use serde_json::{Map, Value, json};

use super::{Section, documents, locate, push_key};

/// The codes of problems of a file.
#[derive(Clone, Copy, Debug)]
pub struct Codes {
    /// The file is not YAML, or not one map.
    pub syntax: &'static str,
    pub unknown: &'static str,
    /// A value that is not valid.
    pub value: &'static str,
    /// A key that is missing.
    pub missing: &'static str,
}

/// A problem of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub code: &'static str,
    pub line: usize,
    pub message: String,
    /// What to do about it; empty if the message is enough.
    pub help: String,
}

/// The problems that are found in a document, by path.
#[derive(Debug)]
pub struct Problems<'s> {
    codes: Codes,
    /// The schema of the whole document.
    root: &'s Value,
    found: Vec<(String, Problem)>,
}

/// Reads a file. An empty one is an empty map. `more` adds what a schema cannot express; the values that it gets may be wrong.
///
/// # Errors
/// All problems, in the order of their lines.
pub fn checked<'s>(
    text: &str,
    schema: &'s Value,
    codes: Codes,
    more: impl FnOnce(&Map<String, Value>, &mut Problems<'s>),
) -> Result<(Map<String, Value>, Section), Vec<Problem>> {
    let syntax = |line, message: &str, help: &str| Problem {
        code: codes.syntax,
        line,
        message: message.to_owned(),
        help: help.to_owned(),
    };
    let (mut found, mut errors) = (Vec::new(), Vec::new());
    for document in documents(text) {
        match document {
            Ok(document) => found.push(document),
            Err(invalid) => errors.extend(invalid.iter().map(|error| syntax(error.line, &error.message, ""))),
        }
    }
    if let Some(line) = found.get(1).map(|second| second.section.content_position().line) {
        errors.push(syntax(line, "the file has more than one document", "write all keys into the first"));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let (root, section) = found.pop().map_or((json!({}), Section::default()), |read| (read.value, read.section));
    let Value::Object(root) = root else {
        let help = schema["x-help"].as_str().unwrap_or_default();
        return Err(vec![syntax(section.content_position().line, "the file must be a map of keys", help)]);
    };
    let mut problems = Problems { codes, root: schema, found: Vec::new() };
    more(&root, &mut problems);
    problems.section("", schema, &root);
    let paths = problems.found.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>();
    let mut located = locate(text, section, &paths).into_iter().zip(&problems.found).collect::<Vec<_>>();
    located.sort_by_key(|(position, _)| *position);
    let located = located.into_iter().map(|(at, (_, problem))| Problem { line: at.line, ..problem.clone() });
    let located = located.collect::<Vec<_>>();
    if located.is_empty() { Ok((root, section)) } else { Err(located) }
}

/// The schema that applies to a value: of an alternative, and what a reference names.
fn resolved<'s>(schema: &'s Value, root: &'s Value, value: &Value) -> &'s Value {
    let kind = match value {
        Value::Array(_) => "array",
        Value::Number(_) => "integer",
        _ => "",
    };
    let any = schema["anyOf"].as_array().map_or(&[][..], Vec::as_slice);
    let schema = any.iter().find(|schema| schema["type"] == kind).or(any.first()).unwrap_or(schema);
    let reference = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    reference.and_then(|pointer| root.pointer(pointer)).unwrap_or(schema)
}

/// What a schema accepts, in a few words.
pub fn words(schema: &Value, root: &Value) -> String {
    if let Some(any) = schema["anyOf"].as_array() {
        return any.iter().map(|schema| words(schema, root)).collect::<Vec<_>>().join(", or ");
    }
    let schema = resolved(schema, root, &Value::Null);
    if let Some(values) = schema["enum"].as_array() {
        let values = values.iter().filter_map(Value::as_str).map(|value| format!("`{value}`")).collect::<Vec<_>>();
        return format!("one of {}", values.join(", "));
    }
    match schema["type"].as_str().unwrap_or_default() {
        "array" => match &*words(&schema["items"], root) {
            "a string" => "a list of strings".to_owned(),
            "a map of keys" => "a list of maps".to_owned(),
            items => format!("a list, each item {items}"),
        },
        "object" => "a map of keys".to_owned(),
        "integer" => format!("a number from 0 to {}", schema["maximum"]),
        "boolean" => "true or false".to_owned(),
        _ => "a string".to_owned(),
    }
}

impl<'s> Problems<'s> {
    /// Adds a problem at a path.
    pub fn add(&mut self, code: &'static str, path: &str, message: String, help: impl Into<String>) {
        self.found.push((path.to_owned(), Problem { code, line: 0, message, help: help.into() }));
    }

    /// Checks the keys of a map and their values.
    fn section(&mut self, path: &str, schema: &'s Value, map: &Map<String, Value>) {
        let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        for key in required.filter(|key| !map.contains_key(*key)) {
            let owner = if path.is_empty() { "the file".to_owned() } else { format!("`{path}`") };
            self.add(self.codes.missing, path, format!("{owner} lacks the key `{key}`"), format!("add `{key}: …`"));
        }
        for (name, value) in map {
            let mut below = path.to_owned();
            push_key(&mut below, name);
            match (schema["properties"].get(name), &schema["additionalProperties"]) {
                (Some(schema), _) | (None, schema @ Value::Object(_)) => self.value(&below, schema, value),
                (None, Value::Bool(false)) => {
                    let keys = schema["properties"].as_object().into_iter().flatten().map(|(key, _)| key.as_str());
                    let keys = keys.collect::<BTreeSet<_>>().into_iter();
                    let of = if path.is_empty() { String::new() } else { format!(" of `{path}`") };
                    let message = format!("unknown key `{name}`{of}");
                    self.add(self.codes.unknown, &below, message, instead(name, keys, "keys"));
                }
                _ => {}
            }
        }
    }

    fn list(&mut self, path: &str, schema: &'s Value, items: &[Value]) {
        if (items.len() as u64) < schema["minItems"].as_u64().unwrap_or_default() {
            self.add(self.codes.value, path, format!("`{path}` is empty"), "add an item");
        }
        for (index, item) in items.iter().enumerate() {
            let at = format!("{path}[{index}]");
            self.value(&at, &schema["items"], item);
            if schema["uniqueItems"] == true && items[..index].contains(item) {
                self.add(self.codes.value, &at, format!("`{path}` has {item} twice"), "remove one of them");
            }
        }
    }

    fn value(&mut self, path: &str, schema: &'s Value, value: &Value) {
        let schema = resolved(schema, self.root, value);
        match (schema["type"].as_str(), value) {
            (Some("object"), Value::Object(map)) => self.section(path, schema, map),
            (Some("array"), Value::Array(items)) => self.list(path, schema, items),
            (Some("string"), Value::String(text)) => {
                let pattern = schema["pattern"].as_str().and_then(|pattern| crd_regexp::recognise(pattern).ok());
                let is_short = schema["maxLength"].as_u64().is_none_or(|most| text.len() as u64 <= most);
                if !is_short || pattern.is_some_and(|pattern| pattern.is_match(text) == Some(false)) {
                    let help = schema["x-help"].as_str().unwrap_or_default();
                    self.add(self.codes.value, path, format!("`{text}` is not a valid value of `{path}`"), help);
                }
            }
            (Some("integer"), Value::Number(number))
                if number.as_u64() <= schema["maximum"].as_u64() && number.is_u64() => {}
            (Some("boolean"), Value::Bool(_)) => {}
            // YAML reads the word `off` as false.
            (None, word @ Value::Bool(_)) if schema["enum"].as_array().is_some_and(|values| values.contains(word)) => {}
            (None, Value::String(word)) => {
                let values = schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
                if values.clone().all(|value| value != word) {
                    let message = format!("`{word}` is not a value of `{path}`");
                    self.add(self.codes.value, path, message, instead(word, values, "values"));
                }
            }
            (form, value) => {
                let help = match (form, value) {
                    _ if schema["x-help"].is_string() => schema["x-help"].as_str().unwrap_or_default().to_owned(),
                    (_, Value::Null) => "write a value, or remove the key".to_owned(),
                    (Some("string"), Value::Number(_)) => format!("YAML reads {value} as a number: put it into quotes"),
                    (Some("string"), Value::Bool(_)) => format!("YAML reads {value} as a boolean: put it into quotes"),
                    (Some("array"), Value::String(text)) => format!("write `[{text}]`"),
                    _ => String::new(),
                };
                self.add(self.codes.value, path, format!("`{path}` must be {}", words(schema, self.root)), help);
            }
        }
    }
}

/// The help for an unknown name.
fn instead<'n>(name: &str, known: impl Iterator<Item = &'n str>, what: &str) -> String {
    let known = known.collect::<Vec<_>>();
    nearest(name, known.iter().copied())
        .map_or_else(|| format!("the {what} are {}", known.join(", ")), |near| format!("did you mean `{near}`?"))
}
