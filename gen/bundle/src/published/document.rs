//! Splits texts into objects: CRDs, items of lists, and skipped documents.
//!
//! Invariants: a document that cannot be read does not hide those behind it; a document whose kind is that of a CRD, or nearly, is
//! read or an error; only one document is in memory as a value at a time, and the next one is read when it is asked for.

use std::iter;
use std::sync::Arc;
use std::vec;

use crd_diagnostics::Diagnostic;
use crd_model::yaml::{
    Document, RepeatedKey, Section, SharedDocument, SharedSchemas, TextPosition, YamlError, documents, item_positions,
    shared_documents,
};
use serde_json::{Map, Value};

use super::crd::{API_VERSION, Schemas};
use super::found::{Found, KIND, Object, Problem, ReadCrd, error, is_in, quoted, shortened};
use super::skips::LeftOut;
use super::v1beta1::{self, Converted};
use super::{PassedOver, Source, Unreadable, Written, codes, crd, template};

/// What a text or a document holds, read when it is asked for.
type Contents<'s> = Box<dyn Iterator<Item = Found> + 's>;

/// Reads all documents of a text.
pub(super) fn read<'s>(source: &'s Arc<Source>, schemas: &SharedSchemas) -> Contents<'s> {
    let has_braces = !source.is_rendered && source.text.contains("{{");
    if has_braces && is_in("templates", &source.name) {
        return Box::new(iter::once(template::unrendered(source, None)));
    }
    if let Some(documents) = shared_documents(&source.text, schemas) {
        return Box::new(documents.into_iter().flat_map(|document| shared(document, source)));
    }
    let read = documents(&source.text).with_repeated_keys().scan(false, move |is_template, document| {
        if *is_template {
            return None;
        }
        Some(match document {
            Ok(Document { value, section, repeated }) => {
                whole(Objects::new(value, Written::new(source, section), repeated), section)
            }
            Err(errors) => {
                let first = errors.iter().find(|wrong| has_braces && is_at_template(&source.text, wrong));
                *is_template = first.is_some();
                match first {
                    // If one line is a template, errors in the remaining lines only repeat it.
                    Some(first) => Box::new(iter::once(template::unrendered(source, Some(first)))) as Contents<'_>,
                    None => Box::new(errors.into_iter().map(|wrong| Found::Error(syntax(source, wrong)))),
                }
            }
        })
    });
    Box::new(read.flatten())
}

/// The objects of a document, and its end.
fn whole<'o>(objects: impl Iterator<Item = Object> + 'o, section: Section) -> Contents<'o> {
    Box::new(objects.map(move |object| Found::Object(object, section)).chain([Found::End(section)]))
}

/// Reads a document whose schemas are shared.
fn shared<'s>(document: SharedDocument, source: &Arc<Source>) -> Contents<'s> {
    let SharedDocument { value, section, schemas, maps } = document;
    let written = Written::new(source, section);
    match value {
        Value::Object(map) if !schemas.is_empty() => {
            let known = Unreadable::of(&map);
            let read = crd::read(map, Some(Schemas { schemas, maps }), written, &[], &[]);
            whole(iter::once(Object::Crd(known, Box::new(read))), section)
        }
        value => whole(Objects::new(value, written, Vec::new()), section),
    }
}

/// The error of text that is not YAML.
fn syntax(source: &Source, wrong: YamlError) -> Diagnostic {
    let fix = if wrong.is_syntax() {
        "Fix this line or the lines before it; if the file was cut off, fetch it again"
    } else {
        ""
    };
    let YamlError { line, column, message } = wrong;
    error(codes::YAML, &source.name, line, column, message, fix)
}

/// Whether the text does not read here because it is a template.
fn is_at_template(text: &str, error: &YamlError) -> bool {
    text.lines().skip(error.line.saturating_sub(2)).take(2).any(|line| line.contains("{{"))
}

/// The objects of a document: itself, or the items of a list and of the lists in it.
struct Objects {
    document: Option<(Value, Written)>,
    /// The lists that are being read; each contains the next one.
    lists: Vec<List>,
    /// The repeated keys of the document.
    repeated: Vec<RepeatedKey>,
}

/// What a document, or an item of a list, is.
enum Content {
    One(Object),
    Several(List),
}

/// A list of objects.
struct List {
    items: iter::Enumerate<vec::IntoIter<Value>>,
    /// The apiVersion of a list of CRDs. Its items need not say what they are.
    of: Option<String>,
    written: Written,
    /// Where its items are.
    places: Vec<TextPosition>,
}

impl Objects {
    fn new(value: Value, written: Written, repeated: Vec<RepeatedKey>) -> Self {
        Self { document: Some((value, written)), lists: Vec::new(), repeated }
    }
}

impl Iterator for Objects {
    type Item = Object;

    fn next(&mut self) -> Option<Object> {
        loop {
            let next = self.document.take();
            let Some((value, written)) = next.or_else(|| self.lists.last_mut()?.next()) else {
                // The list around it has more items.
                self.lists.pop()?;
                continue;
            };
            match object(value, written, &self.repeated) {
                Content::One(object) => return Some(object),
                Content::Several(list) => self.lists.push(list),
            }
        }
    }
}

impl Iterator for List {
    type Item = (Value, Written);

    fn next(&mut self) -> Option<(Value, Written)> {
        let (index, mut item) = self.items.next()?;
        if let (Some(api_version), Value::Object(item)) = (&self.of, &mut item) {
            item.entry("apiVersion").or_insert_with(|| Value::String(api_version.clone()));
            item.entry("kind").or_insert_with(|| Value::String(KIND.to_owned()));
        }
        let above = format!("{}items[{index}].", self.written.above);
        let line = self.places.get(index).map_or(self.written.line, |place| place.line);
        Some((item, Written { above, line, ..self.written.clone() }))
    }
}

/// Reads one document, or one item of a list. `repeated` are the repeated keys of the document.
fn object(value: Value, written: Written, repeated: &[RepeatedKey]) -> Content {
    let Value::Object(map) = value else {
        return Content::One(pass_over(describe(&value).to_owned(), None, &written));
    };
    let word = |key: &str| map.get(key).and_then(Value::as_str);
    let name = || map.get("metadata").and_then(|metadata| metadata.get("name")).and_then(Value::as_str).map(shortened);
    let (api_version, kind) = (word("apiVersion"), word("kind"));
    let is_extension = api_version.is_some_and(|version| version.starts_with("apiextensions.k8s.io/"));
    Content::One(match kind {
        Some(KIND) if is_patch(&map, &written.source.name) => {
            let reason = format!("a patch of {}", name().unwrap_or_default());
            Object::LeftOut(LeftOut::new(written.source.name.clone(), reason))
        }
        Some(KIND) => Object::Crd(Unreadable::of(&map), Box::new(custom_resource_definition(map, written, repeated))),
        Some("List") => return items(map, None, written),
        Some("CustomResourceDefinitionList") if is_extension => {
            let api_version = api_version.map(str::to_owned);
            return items(map, api_version, written);
        }
        Some(kind) if is_extension && kind.trim_end_matches(['s', 'S']).eq_ignore_ascii_case(KIND) => {
            let message = format!("the kind is {}, which no server supports", quoted(kind));
            let fix = format!("Write `kind: {KIND}`");
            Object::Problem(Problem::error(codes::CRD_KIND, written.path("kind"), message, fix))
        }
        None if is_extension => {
            let message = format!("this is of {}, and has no kind", quoted(api_version.unwrap_or_default()));
            let fix = format!("Add `kind: {KIND}`, if it is one");
            Object::Problem(Problem::error(codes::CRD_KIND, written.path("apiVersion"), message, fix))
        }
        Some(kind) => pass_over(shortened(kind), name(), &written),
        None => pass_over("no Kubernetes object".to_owned(), None, &written),
    })
}

/// Reads a document of the kind CustomResourceDefinition.
fn custom_resource_definition(mut map: Map<String, Value>, mut written: Written, repeated: &[RepeatedKey]) -> ReadCrd {
    match map.get("apiVersion").and_then(Value::as_str) {
        Some(API_VERSION) => crd::read(map, None, written, &[], repeated),
        Some(v1beta1::API_VERSION) => {
            let (parts, versions) = v1beta1::copied(&map);
            if let Some(problem) = crd::too_many_copies(parts, versions, &written) {
                return ReadCrd::unread(problem, written);
            }
            let Converted { moves, unknown } = v1beta1::to_v1(&mut map);
            written.moves = Some(Arc::new(moves));
            crd::read(map, None, written, &unknown, repeated)
        }
        other => {
            let name = map.get("metadata").and_then(|metadata| metadata.get("name")).and_then(Value::as_str);
            ReadCrd::unread(other_version(name.map(shortened), other, &written), written)
        }
    }
}

/// Whether a document of this file is a patch: kustomize merges it into a CRD. A CRD that was cut off could look like one, so its folder decides.
fn is_patch(map: &Map<String, Value>, file: &str) -> bool {
    let spec = map.get("spec").and_then(Value::as_object);
    let has = |key: &str| map.contains_key(key) || spec.is_some_and(|spec| spec.contains_key(key));
    has("$patch") || is_in("patches", file) && !["group", "names", "versions", "version", "scope"].into_iter().any(has)
}

/// The items of a list. They are read one after the other.
fn items(mut map: Map<String, Value>, of: Option<String>, written: Written) -> Content {
    let items = match map.remove("items") {
        Some(Value::Array(items)) => items,
        None | Some(Value::Null) => Vec::new(),
        Some(other) => {
            let message = format!("`items` of a list is {}", describe(&other));
            let fix = "Write the objects as a list, or as documents of their own".to_owned();
            return Content::One(Object::Problem(Problem::error(codes::CRD_KIND, written.path("items"), message, fix)));
        }
    };
    // The lines of lists in lists would take too long to find, and such lists do not occur.
    let places = match written.above.is_empty() {
        true => item_positions(&written.source.text, written.section, "items"),
        false => Vec::new(),
    };
    Content::Several(List { items: items.into_iter().enumerate(), of, written, places })
}

/// A CRD of an apiVersion that is not read.
fn other_version(name: Option<String>, api_version: Option<&str>, written: &Written) -> Problem {
    let name = name.unwrap_or_else(|| "NAME".to_owned());
    let (message, fix) = match api_version {
        Some(other) => (
            format!("the CRD `{name}` is of {}, which does not exist", quoted(other)),
            format!("Write `apiVersion: {API_VERSION}`"),
        ),
        None => (
            format!("the CRD `{name}` has no apiVersion"),
            format!("Write `apiVersion: {API_VERSION}`, if it is of that"),
        ),
    };
    Problem::error(codes::CRD_VERSION, written.path("apiVersion"), message, fix)
}

fn pass_over(kind: String, name: Option<String>, written: &Written) -> Object {
    Object::PassedOver(PassedOver { kind, name, file: written.source.name.clone(), line: Some(written.line) })
}

fn describe(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    }
}
