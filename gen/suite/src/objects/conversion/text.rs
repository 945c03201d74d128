//! A text with the objects in it replaced by their new form.
//!
//! Invariants: everything outside the bytes of a converted object is copied. A converted object is written like the one before it: JSON stays
//! JSON with its indentation, YAML stays YAML. Comments inside a converted object are lost, which is reported.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use crd_bundle::published::{Source, codes};
use crd_diagnostics::{Diagnostic, ObjectName};
use crd_model::document::send_value;
use crd_model::parallel;
use crd_model::yaml::{Start, TextPosition, YamlWriter};
use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{PrettyFormatter, Serializer};

use super::{Converted, ConvertedFile, ConvertedObject, Outcome, Target};
use crate::codes::NOT_AN_OBJECT;
use crate::objects::document::{self, WrittenObject};
use crate::objects::identity::{type_of, unscoped};
use crate::objects::json;

/// An object that is replaced.
struct Edit {
    bytes: Range<usize>,
    text: String,
}

/// An object that was converted, without its place.
struct Done {
    api_version: String,
    name: ObjectName,
    outcome: Outcome,
    /// Its new text.
    text: Option<String>,
}

/// Converts the objects of a text. A byte order mark stays.
pub(super) fn convert(source: &Source, target: &Target<'_>) -> ConvertedFile {
    let Some(rest) = source.text.strip_prefix(MARK) else { return convert_unmarked(source, target) };
    let rest = Source::new(source.name.clone(), rest.to_owned());
    let file = convert_unmarked(&rest, target);
    let new = file.new.map(|new| format!("{MARK}{new}"));
    ConvertedFile { new, old: Arc::clone(&source.text), ..file }
}

const MARK: char = '\u{feff}';

fn convert_unmarked(source: &Source, target: &Target<'_>) -> ConvertedFile {
    let mut work = Work {
        text: &source.text,
        target,
        at: (0, TextPosition { line: 1, column: 1 }),
        edits: Vec::new(),
        file: ConvertedFile { name: source.name.clone(), old: Arc::clone(&source.text), ..ConvertedFile::default() },
    };
    if work.json().is_none() {
        work.yaml(source);
        return work.finish(Some(source));
    }
    work.finish(None)
}

struct Work<'w, 't> {
    text: &'w str,
    target: &'w Target<'t>,
    /// The last position that was asked for, and its byte.
    at: (usize, TextPosition),
    edits: Vec<Edit>,
    file: ConvertedFile,
}

impl Work<'_, '_> {
    /// The objects of JSON, on all processors; none if the text is not JSON without repeated keys.
    fn json(&mut self) -> Option<()> {
        let objects = json::objects(self.text)?;
        let (text, target) = (self.text, self.target);
        let done = parallel::each(&objects, |bytes| {
            let old = &text[bytes.clone()];
            let value = json::read(old)?;
            let mut done = object(value, old, target, |object| json_text(object, old, &text[..bytes.start]));
            if let (Ok(Done { outcome: Outcome::Converted(converted), .. }), false) = (&mut done, target.keeps_objects)
            {
                converted.object = None;
            }
            Some(done)
        });
        let done = done.into_iter().collect::<Option<Vec<_>>>()?;
        for (bytes, done) in objects.into_iter().zip(done) {
            self.add(bytes, done);
        }
        Some(())
    }

    fn yaml(&mut self, source: &Source) {
        let documents = document::read(source, &|_, _| false).collect::<Vec<_>>();
        let starts = documents.iter().filter_map(|document| Some(document.as_ref().ok()?.section.start()));
        let starts = starts.collect::<BTreeSet<_>>();
        for document in documents {
            let document = match document {
                Ok(document) => document,
                Err(errors) => {
                    self.file.errors.extend(errors);
                    continue;
                }
            };
            let begin = document.section.start();
            let end = starts.range(begin + 1..).next().copied().unwrap_or(self.text.len());
            for WrittenObject { value, position, repeated, .. } in document.objects {
                if let Some(key) = repeated.first() {
                    let TextPosition { line, column } = key.position;
                    let message = format!("the key `{}` is already in this map", key.path);
                    let error = Diagnostic::error(codes::YAML, message).at_position(&self.file.name, line, column);
                    self.file.errors.push(error.help("remove one"));
                    continue;
                }
                let bytes = self.block(position, end);
                let old = &self.text[bytes.clone()];
                let mut done = object(value, old, self.target, |object| match old.starts_with('{') {
                    true => json_text(object, old, &self.text[..bytes.start]),
                    false => yaml_text(object, position.column - 1),
                });
                let has_comments = || old.lines().any(|line| line.trim_start().starts_with('#') || line.contains(" #"));
                if let Ok(Done { outcome: Outcome::Converted(converted), .. }) = &mut done
                    && has_comments()
                {
                    converted.lost.push("the comments in it".to_owned());
                }
                self.add(bytes, done);
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

    fn add(&mut self, bytes: Range<usize>, done: Result<Done, String>) {
        let TextPosition { line, column } = self.position(bytes.start);
        let Done { api_version, name, mut outcome, text } = match done {
            Ok(done) => done,
            Err(message) => {
                let error = Diagnostic::error(NOT_AN_OBJECT, message);
                self.file.errors.push(error.at_position(&self.file.name, line, column));
                return;
            }
        };
        if let Outcome::Failed(diagnostic) = &mut outcome {
            let located = diagnostic.clone().at_position(&self.file.name, line, column).of_object(name.clone());
            *diagnostic = located;
        }
        self.edits.extend(text.map(|text| Edit { bytes, text }));
        self.file.objects.push(ConvertedObject { api_version, name, line, column, outcome });
    }

    /// The text with its edits. The new text of a source that may have anchors is read and compared.
    fn finish(mut self, compared: Option<&Source>) -> ConvertedFile {
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
        let new = Source::new(self.file.name.clone(), new);
        if let Some(error) = compared.and_then(|source| differs(source, &new, &self.file.objects)) {
            self.file.errors.push(error);
            return self.file;
        }
        self.file.new = Some(Arc::unwrap_or_clone(new.text));
        self.file
    }

    /// The position of a byte, counted from the last one that was asked for.
    fn position(&mut self, byte: usize) -> TextPosition {
        let (mut from, mut position) = self.at;
        if byte < from {
            (from, position) = (0, TextPosition { line: 1, column: 1 });
        }
        let between = &self.text[from..byte];
        match between.rfind('\n') {
            Some(last) => {
                position.line += between.bytes().filter(|byte| *byte == b'\n').count();
                position.column = between[last + 1..].chars().count() + 1;
            }
            None => position.column += between.chars().count(),
        }
        self.at = (byte, position);
        position
    }

    /// The byte of a position.
    fn offset(&mut self, wanted: TextPosition) -> usize {
        let (last, position) = self.at;
        let (mut byte, line) = match wanted.line < position.line {
            true => (0, 1),
            false => (self.text[..last].rfind('\n').map_or(0, |end| end + 1), position.line),
        };
        for _ in line..wanted.line {
            byte = self.text[byte..].find('\n').map_or(self.text.len(), |end| byte + end + 1);
        }
        let mut characters = self.text[byte..].char_indices().skip(wanted.column - 1);
        characters.next().map_or(self.text.len(), |(offset, _)| byte + offset)
    }
}

/// The object in its new form, with its text; a message if it is not an object. Lines end as those of the old text.
fn object(value: Value, old: &str, target: &Target<'_>, write: impl Fn(&Value) -> String) -> Result<Done, String> {
    let (api_version, kind) = type_of(&value)?;
    let (api_version, name) = (api_version.to_owned(), unscoped(&value, kind));
    let outcome = target.convert(value);
    let text = match &outcome {
        Outcome::Converted(converted) => converted.object.as_ref().map(|object| match old.split_once('\n') {
            Some((first, _)) if first.ends_with('\r') => write(object).replace('\n', "\r\n"),
            _ => write(object),
        }),
        _ => None,
    };
    Ok(Done { api_version, name, outcome, text })
}

/// Whether the new text has other objects than it should have.
fn differs(old: &Source, new: &Source, objects: &[ConvertedObject]) -> Option<Diagnostic> {
    let values = |source: &Source| {
        let read = document::read(source, &|_, _| false).flatten();
        let objects = read.flat_map(|document| document.objects);
        let objects = objects.filter(|object| object.repeated.is_empty() && type_of(&object.value).is_ok());
        objects.map(|object| object.value).collect::<Vec<_>>()
    };
    let expected = values(old).into_iter().zip(objects).map(|(value, object)| match &object.outcome {
        Outcome::Converted(Converted { object: Some(object), .. }) => object.clone(),
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
    let mut bytes = Vec::with_capacity(old.len() + old.len() / 8);
    let indentation = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let line = before.rsplit('\n').next().unwrap_or_default();
    let base = line.get(..indentation(line)).unwrap_or_default();
    // Writing a value to memory cannot fail.
    let _ = match old.lines().skip(1).find(|line| !line.trim().is_empty()) {
        None => value.serialize(&mut Serializer::new(&mut bytes)),
        Some(first) => {
            let indent = first.get(base.len()..indentation(first)).filter(|indent| !indent.is_empty()).unwrap_or("  ");
            let formatter = PrettyFormatter::with_indent(indent.as_bytes());
            value.serialize(&mut Serializer::with_formatter(&mut bytes, formatter))
        }
    };
    let text = String::from_utf8(bytes).unwrap_or_default();
    // Line breaks in texts of JSON are escapes.
    if base.is_empty() { text } else { text.replace('\n', &format!("\n{base}")) }
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
