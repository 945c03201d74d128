//! Documents and the objects in them, with their positions in the text.
//!
//! Invariants: a document that cannot be read does not hide those behind it. Lists are unpacked at any depth. A repeated key belongs to the
//! innermost object around it.

use crate::codes::NOT_AN_OBJECT;
use crd_bundle::published::{Source, codes};
use crd_diagnostics::Diagnostic;
use crd_model::yaml::{Document, RepeatedKey, Section, TextPosition, YamlError, documents, item_positions};
use serde_json::Value;

use super::identity::type_of;

/// The error if texts that should have objects have none.
pub fn no_objects(message: &str) -> Diagnostic {
    Diagnostic::error("object::none", message).help("check the command that writes them")
}

/// A document of a text.
pub struct ObjectDocument {
    /// Where the document is in the text.
    pub section: Section,
    /// Its objects; lists are unpacked.
    pub objects: Vec<WrittenObject>,
}

/// An object.
pub struct WrittenObject {
    /// The object.
    pub value: Value,
    /// The path to the object in its document: `items[3].`, or nothing.
    pub above: String,
    /// Where it begins in the text.
    pub position: TextPosition,
    /// The keys that a map has twice; their paths begin at the object.
    pub repeated: Vec<RepeatedKey>,
}

impl WrittenObject {
    /// Its API version and kind.
    ///
    /// # Errors
    /// If it is not an object of Kubernetes, at its place in the file.
    pub fn type_in(&self, file: &str) -> Result<(&str, &str), Diagnostic> {
        type_of(&self.value).map_err(|message| {
            Diagnostic::error(NOT_AN_OBJECT, message)
                .at_position(file, self.position.line, self.position.column)
                .help("an object has `apiVersion`, `kind` and `metadata`")
        })
    }
}

/// The documents of a text, one at a time, or the errors of one. `is_kind` is whether a kind is that of a CRD, although it ends with `List`.
pub fn read<'s>(
    source: &'s Source,
    is_kind: &'s dyn Fn(&str, &str) -> bool,
) -> impl Iterator<Item = Result<ObjectDocument, Vec<Diagnostic>>> + 's {
    documents(&source.text).with_repeated_keys().map(move |document| match document {
        Ok(Document { value, section, repeated }) => {
            let mut unpacking = Unpacking { source, section, is_kind, objects: Vec::new(), errors: Vec::new() };
            unpacking.object(value, String::new(), section.content_position());
            let Unpacking { mut objects, mut errors, .. } = unpacking;
            for key in repeated {
                // The innermost object is the last one that contains the key.
                match objects.iter_mut().rfind(|object| key.path.starts_with(&object.above)) {
                    Some(object) => {
                        let path = key.path[object.above.len()..].to_owned();
                        object.repeated.push(RepeatedKey { path, ..key });
                    }
                    None => {
                        let TextPosition { line, column } = key.position;
                        let message = format!("the key `{}` is already in this map", key.path);
                        errors.push(
                            Diagnostic::error(codes::YAML, message)
                                .at_position(&source.name, line, column)
                                .help("remove one"),
                        );
                    }
                }
            }
            if errors.is_empty() { Ok(ObjectDocument { section, objects }) } else { Err(errors) }
        }
        Err(errors) => Err(errors.into_iter().map(|error| unreadable(source, error)).collect()),
    })
}

/// A document that is not YAML, or not what Kubernetes reads.
fn unreadable(source: &Source, error: YamlError) -> Diagnostic {
    let near = source.text.lines().skip(error.line.saturating_sub(2)).take(2);
    let is_template = near.into_iter().any(|line| line.contains("{{"));
    let (code, help) = match (is_template, error.is_syntax()) {
        (true, _) => (codes::TEMPLATE, "render the template, and validate the result: `helm template CHART | … -`"),
        (false, true) => (codes::YAML, "fix this line or the lines before it"),
        (false, false) => (codes::YAML, ""),
    };
    Diagnostic::error(code, error.message).at_position(&source.name, error.line, error.column).help(help)
}

struct Unpacking<'s> {
    source: &'s Source,
    section: Section,
    is_kind: &'s dyn Fn(&str, &str) -> bool,
    objects: Vec<WrittenObject>,
    errors: Vec<Diagnostic>,
}

impl Unpacking<'_> {
    fn object(&mut self, value: Value, above: String, position: TextPosition) {
        let list = match type_of(&value) {
            Ok((api_version, kind))
                if kind.ends_with("List")
                    && value.get("items").is_some_and(|items| items.is_array() || items.is_null())
                    && !(self.is_kind)(api_version, kind) =>
            {
                Some((api_version.to_owned(), kind.trim_end_matches("List").to_owned()))
            }
            Ok(("v1", "List")) => {
                let TextPosition { line, column } = position;
                let error = Diagnostic::error(NOT_AN_OBJECT, "this list has no list of `items`").at_position(
                    &self.source.name,
                    line,
                    column,
                );
                self.errors.push(error.help("write the objects below `items`"));
                return;
            }
            _ => None,
        };
        let Some((api_version, kind)) = list else {
            self.objects.push(WrittenObject { value, above, position, repeated: Vec::new() });
            return;
        };
        let Value::Object(mut list) = value else { return };
        let Some(Value::Array(items)) = list.remove("items") else { return };
        let positions = item_positions(&self.source.text, self.section, &format!("{above}items"));
        for (index, mut item) in items.into_iter().enumerate() {
            // The items of a typed list need not repeat its type.
            if let (false, Value::Object(item)) = (kind.is_empty(), &mut item) {
                item.entry("apiVersion").or_insert_with(|| Value::String(api_version.clone()));
                item.entry("kind").or_insert_with(|| Value::String(kind.clone()));
            }
            let position = positions.get(index).copied().unwrap_or(position);
            self.object(item, format!("{above}items[{index}]."), position);
        }
    }
}
