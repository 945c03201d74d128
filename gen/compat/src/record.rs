//! Records: a YAML file that holds one list of flat entries, such as waivers and tombstones.
//!
//! Invariants: all errors are reported together, each with its line. An unknown key is an error.

use std::path::Path;

use crd_diagnostics::Diagnostic;
use crd_model::yaml::{Section, documents, locate};
use crd_names::nearest;
use serde_json::{Map, Value};

/// A key that an entry may have.
pub struct Key {
    pub name: &'static str,
    /// Whether every entry must have it.
    pub required: bool,
}

/// One entry: its keys and its line.
pub struct Record {
    map: Map<String, Value>,
    path: String,
    /// Its line, from 1.
    pub line: usize,
}

/// The records of a file, and their errors.
pub struct Records<'t> {
    text: &'t str,
    section: Option<Section>,
    /// The entries, also those with errors.
    pub records: Vec<Record>,
    /// Errors with their paths. Their lines are looked up together.
    errors: Vec<(String, String)>,
    /// Errors with their lines.
    located: Vec<(usize, String)>,
}

impl<'t> Records<'t> {
    /// Reads the list under the key `list`. An empty file has no records.
    pub fn read(text: &'t str, list: &str, keys: &[Key]) -> Self {
        let mut read = Records { text, section: None, records: Vec::new(), errors: Vec::new(), located: Vec::new() };
        let mut found = Vec::new();
        for document in documents(text) {
            match document {
                Ok(document) => found.push(document),
                Err(errors) => read.located.extend(errors.into_iter().map(|error| (error.line, error.message))),
            }
        }
        if !read.located.is_empty() {
            return read;
        }
        if found.len() > 1 {
            let message = "the file has more than one document: put all entries into the first".to_owned();
            read.located.push((found[1].section.content_position().line, message));
            return read;
        }
        let Some(document) = found.pop() else { return read };
        read.section = Some(document.section);
        let Value::Object(map) = document.value else {
            read.error("", format!("the file must start with `{list}:` and contain a list"));
            return read;
        };
        for (key, value) in map {
            match value {
                _ if key != list => read.error(&key, format!("unknown key `{key}`: only `{list}` is read")),
                Value::Null => {}
                Value::Array(entries) => read.entries(list, entries, keys),
                _ => read.error(&key, format!("`{list}` must be a list")),
            }
        }
        let section = read.section;
        let paths = read.records.iter().map(|record| record.path.clone()).collect::<Vec<_>>();
        for (record, place) in
            read.records.iter_mut().zip(section.map(|section| locate(text, section, &paths)).unwrap_or_default())
        {
            record.line = place.line;
        }
        read
    }

    fn entries(&mut self, list: &str, entries: Vec<Value>, keys: &[Key]) {
        for (index, entry) in entries.into_iter().enumerate() {
            let path = format!("{list}[{index}]");
            let Value::Object(map) = entry else {
                self.error(&path, "an entry must have keys, such as `reason: …`".to_owned());
                continue;
            };
            for key in map.keys().filter(|key| keys.iter().all(|known| known.name != **key)) {
                let known = || keys.iter().map(|key| format!("`{}`", key.name)).collect::<Vec<_>>().join(", ");
                let instead = match nearest(key, keys.iter().map(|key| key.name)) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => format!("the keys are {}", known()),
                };
                self.error(&format!("{path}.{key}"), format!("unknown key `{key}` of an entry: {instead}"));
            }
            for key in keys.iter().filter(|key| key.required && !map.contains_key(key.name)) {
                self.error(&path, format!("the entry has no `{}`", key.name));
            }
            self.records.push(Record { map, path, line: 0 });
        }
    }

    /// Adds an error at a path of the file.
    pub fn error(&mut self, path: &str, message: String) {
        self.errors.push((path.to_owned(), message));
    }

    /// Adds an error at a key of a record.
    pub fn error_at(&mut self, index: usize, key: &str, message: String) {
        let Some(record) = self.records.get(index) else { return };
        let path = match record.map.contains_key(key) {
            true => format!("{}.{key}", record.path),
            false => record.path.clone(),
        };
        self.error(&path, message);
    }

    /// The text of a key. An absent key is empty; a required one was reported before.
    pub fn text(&mut self, index: usize, key: &str) -> String {
        match self.records.get(index).and_then(|record| record.map.get(key)) {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => {
                let message = format!("`{key}` must be a string, and YAML reads this as {other}: put it into quotes");
                self.error_at(index, key, message);
                String::new()
            }
        }
    }

    /// Whether a key is absent or empty. A value that is not a text was reported before.
    pub fn lacks(&self, index: usize, key: &str) -> bool {
        match self.records.get(index).and_then(|record| record.map.get(key)) {
            None | Some(Value::Null) => true,
            Some(Value::String(text)) => text.is_empty(),
            Some(_) => false,
        }
    }

    /// Whether a key is present without a text. A value that is not a text was reported before.
    pub fn is_blank(&self, index: usize, key: &str) -> bool {
        match self.records.get(index).and_then(|record| record.map.get(key)) {
            Some(Value::Null) => true,
            Some(Value::String(text)) => text.trim().is_empty(),
            _ => false,
        }
    }

    /// Whether a key is true. An absent key is false.
    pub fn flag(&mut self, index: usize, key: &str) -> bool {
        match self.records.get(index).and_then(|record| record.map.get(key)) {
            None | Some(Value::Null) => false,
            Some(Value::Bool(flag)) => *flag,
            Some(other) => {
                let message = format!("`{key}` must be true or false, not {other}");
                self.error_at(index, key, message);
                false
            }
        }
    }

    /// Whether a record has no errors.
    pub fn is_sound(&self, index: usize) -> bool {
        let Some(record) = self.records.get(index) else { return false };
        let of_it =
            |path: &str| path.strip_prefix(&*record.path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        !self.errors.iter().any(|(path, _)| of_it(path))
    }

    /// All errors, by line.
    pub fn finish(self, code: &'static str, file: &Path) -> Vec<Diagnostic> {
        let mut located = self.located;
        let paths = self.errors.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>();
        let places = self.section.map(|section| locate(self.text, section, &paths)).unwrap_or_default();
        located.extend(places.into_iter().zip(&self.errors).map(|(place, (_, message))| (place.line, message.clone())));
        located.sort();
        located.into_iter().map(|(line, message)| Diagnostic::error(code, message).at_line(file, line)).collect()
    }
}
