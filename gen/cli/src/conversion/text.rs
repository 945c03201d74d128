//! A text with the objects in it replaced by their new form.
//!
//! Invariants: everything outside the bytes of a converted object is copied. A converted object is written like the one before it: JSON stays
//! JSON with its indentation, YAML stays YAML. Comments inside a converted object are lost, which is reported.

use std::ops::Range;
use std::sync::Arc;

use crd_bundle::published::{Source, codes};
use crd_diagnostics::Diagnostic;
use crd_model::document::send_value;
use crd_model::yaml::{Start, TextPosition, YamlWriter};
use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{PrettyFormatter, Serializer};

use super::{ConvertedFile, ConvertedObject, Outcome, Target};
use crate::objects::document::{self, WrittenObject};
use crate::objects::identity::{type_of, unscoped};
use crate::objects::json;

/// An object that is replaced.
struct Edit {
    bytes: Range<usize>,
    text: String,
}

/// Converts the objects of a text.
pub(super) fn convert(source: &Source, target: &Target<'_>) -> ConvertedFile {
    let mut work = Work {
        text: &source.text,
        target,
        starts: Vec::new(),
        edits: Vec::new(),
        file: ConvertedFile { name: source.name.clone(), old: Arc::clone(&source.text), ..ConvertedFile::default() },
    };
    match json::documents(&source.text) {
        Some(documents) => documents.into_iter().for_each(|(bytes, value)| work.json(bytes, value)),
        None => work.yaml(source),
    }
    work.finish(source)
}

struct Work<'w, 't> {
    text: &'w str,
    target: &'w Target<'t>,
    /// The first byte of each line, once a position is asked for.
    starts: Vec<usize>,
    edits: Vec<Edit>,
    file: ConvertedFile,
}

impl Work<'_, '_> {
    /// A JSON document: an object, or a list of objects.
    fn json(&mut self, bytes: Range<usize>, value: Value) {
        let is_list = value.get("kind").and_then(Value::as_str).is_some_and(|kind| kind.ends_with("List"));
        let part = &self.text[bytes.clone()];
        match (value, is_list.then(|| json::list_of(part, "items")).flatten()) {
            (Value::Object(mut list), Some(start)) => {
                let Some(Value::Array(items)) = list.remove("items") else { return };
                let places = json::items(&part[start..]);
                for (item, place) in items.into_iter().zip(places) {
                    let offset = bytes.start + start;
                    self.object(&item, offset + place.start..offset + place.end, true);
                }
            }
            (value, _) => self.object(&value, bytes, true),
        }
    }

    fn yaml(&mut self, source: &Source) {
        let documents = document::read(source, &|_, _| false).collect::<Vec<_>>();
        let starts = documents.iter().filter_map(|document| Some(document.as_ref().ok()?.section.start()));
        let starts = starts.collect::<Vec<_>>();
        for document in documents {
            let document = match document {
                Ok(document) => document,
                Err(errors) => {
                    self.file.errors.extend(errors);
                    continue;
                }
            };
            let begin = document.section.start();
            let end = starts.iter().copied().find(|start| *start > begin).unwrap_or(self.text.len());
            for WrittenObject { value, position, repeated, .. } in document.objects {
                if let Some(key) = repeated.first() {
                    let TextPosition { line, column } = key.position;
                    let message = format!("the key `{}` is already in this map", key.path);
                    let error = Diagnostic::error(codes::YAML, message).at_position(&self.file.name, line, column);
                    self.file.errors.push(error.help("remove one"));
                    continue;
                }
                let bytes = self.block(position, end);
                let is_json = self.text[bytes.clone()].starts_with('{');
                self.object(&value, bytes, is_json);
            }
        }
    }

    /// The bytes of a value that begins here, in a document that ends there.
    fn block(&mut self, position: TextPosition, end: usize) -> Range<usize> {
        let start = self.offset(position);
        let part = &self.text[start..end.max(start)];
        if part.starts_with('{') {
            return start..start + json::value_length(part.as_bytes());
        }
        let indent = position.column - 1;
        let (mut length, mut at) = (0, 0);
        for line in part.split_inclusive('\n') {
            let content = line.trim_start_matches(' ');
            let spaces = line.len() - content.len();
            let is_blank = content.trim().is_empty();
            if at > 0 && !is_blank && (spaces < indent || indent == 0 && content.starts_with("...")) {
                break;
            }
            at += line.len();
            // Comments and blank lines behind the value are not part of it.
            if !(is_blank || content.starts_with('#') && spaces <= indent) {
                length = at - (line.len() - line.trim_end_matches(['\n', '\r']).len());
            }
        }
        start..start + length
    }

    fn object(&mut self, value: &Value, bytes: Range<usize>, is_json: bool) {
        let TextPosition { line, column } = self.position(bytes.start);
        let (api_version, kind) = match type_of(value) {
            Ok((api_version, kind)) => (api_version.to_owned(), kind.to_owned()),
            Err(message) => {
                let error = Diagnostic::error("object::not-an-object", message);
                self.file.errors.push(error.at_position(&self.file.name, line, column));
                return;
            }
        };
        let name = unscoped(value, &kind);
        let mut outcome = self.target.convert(value);
        match &mut outcome {
            Outcome::Unchanged => {}
            Outcome::Failed(diagnostic) => {
                let located = diagnostic.clone().at_position(&self.file.name, line, column).of_object(name.clone());
                *diagnostic = located;
            }
            Outcome::Converted(converted) => {
                let old = &self.text[bytes.clone()];
                let text = if is_json {
                    json_text(&converted.object, old, &self.text[..bytes.start])
                } else {
                    if old.lines().any(|line| line.trim_start().starts_with('#') || line.contains(" #")) {
                        converted.lost.push("the comments in it".to_owned());
                    }
                    yaml_text(&converted.object, column - 1)
                };
                self.edits.push(Edit { bytes, text });
            }
        }
        self.file.objects.push(ConvertedObject { api_version, name, line, column, outcome });
    }

    fn finish(mut self, source: &Source) -> ConvertedFile {
        if self.edits.is_empty() {
            return self.file;
        }
        let mut new = String::with_capacity(self.text.len());
        let mut at = 0;
        for edit in &self.edits {
            new.push_str(&self.text[at..edit.bytes.start]);
            new.push_str(&edit.text);
            at = edit.bytes.end;
        }
        new.push_str(&self.text[at..]);
        let new = Source { name: source.name.clone(), text: Arc::new(new) };
        if let Some(error) = differs(source, &new, &self.file.objects) {
            self.file.errors.push(error);
            return self.file;
        }
        self.file.new = Some(Arc::unwrap_or_clone(new.text));
        self.file
    }

    fn lines(&mut self) -> &[usize] {
        if self.starts.is_empty() {
            let ends = self.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
            self.starts = std::iter::once(0).chain(ends).collect();
        }
        &self.starts
    }

    fn position(&mut self, byte: usize) -> TextPosition {
        let text = self.text;
        let starts = self.lines();
        let line = starts.partition_point(|start| *start <= byte);
        let start = starts.get(line - 1).copied().unwrap_or_default();
        TextPosition { line, column: text[start..byte].chars().count() + 1 }
    }

    fn offset(&mut self, position: TextPosition) -> usize {
        let text = self.text;
        let start = self.lines().get(position.line - 1).copied().unwrap_or_default();
        let mut characters = text[start..].char_indices().skip(position.column - 1);
        characters.next().map_or(text.len(), |(offset, _)| start + offset)
    }
}

/// Whether the new text has other objects than it should have.
fn differs(old: &Source, new: &Source, objects: &[ConvertedObject]) -> Option<Diagnostic> {
    let values = |source: &Source| {
        let read = document::read(source, &|_, _| false).flatten();
        let objects = read.flat_map(|document| document.objects);
        let objects = objects.filter(|object| object.repeated.is_empty() && type_of(&object.value).is_ok());
        objects.map(|object| object.value).collect::<Vec<_>>()
    };
    // JSON has no anchors, and its values are replaced as a whole.
    if json::documents(&old.text).is_some() {
        return json::documents(&new.text).is_none().then(|| odd(old));
    }
    let expected = values(old).into_iter().zip(objects).map(|(value, object)| match &object.outcome {
        Outcome::Converted(converted) => converted.object.clone(),
        _ => value,
    });
    (!expected.eq(values(new))).then(|| odd(old))
}

fn odd(source: &Source) -> Diagnostic {
    let message =
        "an object in this file cannot be replaced without a change to another object, so the file stays as it is";
    Diagnostic::error("convert::text", message)
        .at_file(source.name.as_str())
        .help("write the objects as separate documents, without anchors")
}

/// The text of a JSON value, written like the old one. `before` is the text before it.
fn json_text(value: &Value, old: &str, before: &str) -> String {
    let Some(first) = old.lines().nth(1) else { return value.to_string() };
    let line = before.rsplit('\n').next().unwrap_or_default();
    let base = line.len() - line.trim_start().len();
    let inner = first.len() - first.trim_start().len();
    let indent = first.get(..inner.saturating_sub(base).max(1)).unwrap_or("  ");
    let mut bytes = Vec::with_capacity(old.len());
    let mut writer = Serializer::with_formatter(&mut bytes, PrettyFormatter::with_indent(indent.as_bytes()));
    // Writing a value to memory cannot fail.
    let _ = value.serialize(&mut writer);
    String::from_utf8(bytes).unwrap_or_default().replace('\n', &format!("\n{}", line.get(..base).unwrap_or_default()))
}

/// The text of a YAML value that begins in this column, from 0, without the last line break.
fn yaml_text(value: &Value, indent: usize) -> String {
    let mut writer = YamlWriter::new(Start::None);
    send_value(value, &mut writer);
    let text = writer.finish();
    let mut lines = text.trim_end_matches('\n').split('\n');
    let mut indented = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        indented.push('\n');
        if !line.is_empty() {
            indented.push_str(&" ".repeat(indent));
            indented.push_str(line);
        }
    }
    indented
}
