//! Splits texts into documents: CRDs, lists of CRDs, and skipped documents.
//!
//! Invariants: a document that cannot be read does not hide those behind it; a document whose kind is that of a CRD, or nearly, is
//! read or an error; only one document is in memory as a value at a time.

use std::sync::Arc;

use crd_model::yaml::{Document, RepeatedKey, SharedDocument, YamlError, documents, item_positions, shared_documents};
use serde_json::{Map, Value};

use super::choice::LeftOut;
use super::crd::API_VERSION;
use super::crd::Schemas;
use super::reading::{Reading, TEMPLATE, error, is_in, quoted, shortened};
use super::v1beta1::{self, Converted};
use super::{PassedOver, Source, Written, codes, crd};

/// The kind of what is looked for.
pub(super) const KIND: &str = "CustomResourceDefinition";

/// Reads all documents of a text.
pub(super) fn read(source: Source, reading: &mut Reading) {
    let source = Arc::new(source);
    let has_braces = source.text.contains("{{");
    if has_braces && is_in("templates", &source.name) {
        return template(&source, None, reading);
    }
    if let Some(documents) = shared_documents(&source.text) {
        for document in documents {
            shared(document, &source, reading);
            if reading.is_done() {
                return;
            }
        }
        return;
    }
    for document in documents(&source.text).with_repeated_keys() {
        match document {
            Ok(Document { value, section, repeated }) => {
                object(value, Written::new(&source, section), &repeated, reading);
                reading.end_document(&source, section);
            }
            Err(errors) => {
                if let Some(wrong) = errors.iter().find(|wrong| has_braces && is_at_template(&source.text, wrong)) {
                    // If one line is a template, errors in the remaining lines only repeat it.
                    return template(&source, Some(wrong), reading);
                }
                for wrong in errors {
                    let fix = if wrong.is_syntax() {
                        "Fix this line or the lines before it; if the file was cut off, fetch it again"
                    } else {
                        ""
                    };
                    let YamlError { line, column, message } = wrong;
                    reading.push(error(codes::YAML, &source.name, line, column, message, fix));
                }
            }
        }
        if reading.is_done() {
            return;
        }
    }
}

/// Reads a document whose schemas are shared.
fn shared(document: SharedDocument, source: &Arc<Source>, reading: &mut Reading) {
    let SharedDocument { value, section, schemas, maps } = document;
    let written = Written::new(source, section);
    match value {
        Value::Object(map) if !schemas.is_empty() => {
            if reading.begin_crd(&map, &written) {
                crd::read(map, Some(Schemas { schemas, maps }), written, &[], &[], reading);
                reading.end_crd();
            }
        }
        value => object(value, written, &[], reading),
    }
    reading.end_document(source, section);
}

/// Whether the text does not read here because it is a template.
fn is_at_template(text: &str, error: &YamlError) -> bool {
    text.lines().skip(error.line.saturating_sub(2)).take(2).any(|line| line.contains("{{"))
}

/// A template of CRDs is an error; other templates are skipped.
fn template(source: &Source, wrong: Option<&YamlError>, reading: &mut Reading) {
    let of = |text: &str| source.text.lines().position(|line| line.contains(text)).map(|index| index + 1);
    if source.text.contains(KIND) && !makes_other_objects(&source.text) {
        let line = wrong.map(|wrong| wrong.line).or_else(|| of("{{"));
        let (message, fix) = TEMPLATE;
        reading.push(error(codes::TEMPLATE, &source.name, line, None, message, fix));
    } else {
        let kind = "a Helm template".to_owned();
        reading.pass_over(PassedOver { kind, name: None, file: source.name.clone(), line: of("{{") });
    }
}

/// Whether a template is a text of whole objects, none of them a CRD, of which Helm only decides whether they are there: without the lines
/// that hold only a condition or similar, it can be read, and the kind of every document is visible. A policy that names CRDs
/// is such a template. What cannot be read without Helm may become anything.
fn makes_other_objects(text: &str) -> bool {
    let lines = text.lines().map(|line| if prints_nothing(line) { "" } else { line });
    let text = lines.flat_map(|line| [line, "\n"]).collect::<String>();
    let mut is_any = false;
    let is_other = |value: &Value| {
        let word = |key: &str| value.get(key).and_then(Value::as_str);
        let is_extension = word("apiVersion").is_some_and(|version| version.starts_with("apiextensions.k8s.io/"));
        // An item of a list is one more object, and a template may print a CRD.
        let is_other = |kind: &str| !kind.starts_with(KIND) && !kind.ends_with("List") && !kind.contains("{{");
        !is_extension && word("kind").is_some_and(is_other)
    };
    for document in documents(&text) {
        match document {
            Ok(Document { value: Value::Null, .. }) => {}
            Ok(Document { value, .. }) if is_other(&value) => is_any = true,
            _ => return false,
        }
    }
    is_any
}

/// Whether a line is one action of a template that prints nothing: a condition, a loop, its end, a comment, or a variable. What other actions
/// print could be anything.
fn prints_nothing(line: &str) -> bool {
    const WORDS: [&str; 5] = ["if", "else", "with", "range", "end"];
    let line = line.trim();
    let Some(action) = line.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}")) else { return false };
    let action = action.strip_prefix('-').unwrap_or(action);
    let action = action.strip_suffix('-').unwrap_or(action).trim();
    if action.contains("{{") || action.contains("}}") {
        return false;
    }
    let first = action.split_whitespace().next().unwrap_or_default();
    let is_comment = action.starts_with("/*") && action.find("*/").is_some_and(|end| end + 2 == action.len());
    let is_variable =
        first.starts_with('$') && action.split_whitespace().nth(1).is_some_and(|sign| sign == ":=" || sign == "=");
    is_comment || is_variable || WORDS.contains(&first)
}

/// Reads one document, or one item of a list. `repeated` are the repeated keys of the document.
fn object(value: Value, written: Written, repeated: &[RepeatedKey], reading: &mut Reading) {
    let Value::Object(map) = value else {
        return pass_over(describe(&value).to_owned(), None, &written, reading);
    };
    let word = |key: &str| map.get(key).and_then(Value::as_str);
    let name = || map.get("metadata").and_then(|metadata| metadata.get("name")).and_then(Value::as_str).map(shortened);
    let (api_version, kind) = (word("apiVersion"), word("kind"));
    let is_extension = api_version.is_some_and(|version| version.starts_with("apiextensions.k8s.io/"));
    match kind {
        Some(KIND) if is_patch(&map, &written.source.name) => {
            let reason = format!("a patch of {}", name().unwrap_or_default());
            reading.part.left_out.push(LeftOut::new(written.source.name.clone(), reason));
        }
        Some(KIND) => {
            if reading.begin_crd(&map, &written) {
                custom_resource_definition(map, written, repeated, reading);
                reading.end_crd();
            }
        }
        Some("List") => items(map, None, &written, repeated, reading),
        Some("CustomResourceDefinitionList") if is_extension => {
            let api_version = api_version.map(str::to_owned);
            items(map, api_version, &written, repeated, reading);
        }
        Some(kind) if is_extension && kind.trim_end_matches(['s', 'S']).eq_ignore_ascii_case(KIND) => {
            let message = format!("the kind is {}, which no server supports", quoted(kind));
            let fix = format!("Write `kind: {KIND}`");
            reading.push_in_document(codes::CRD_KIND, written.path("kind"), message, fix);
        }
        None if is_extension => {
            let message = format!("this is of {}, and has no kind", quoted(api_version.unwrap_or_default()));
            let fix = format!("Add `kind: {KIND}`, if it is one");
            reading.push_in_document(codes::CRD_KIND, written.path("apiVersion"), message, fix);
        }
        Some(kind) => pass_over(shortened(kind), name(), &written, reading),
        None => pass_over("no Kubernetes object".to_owned(), None, &written, reading),
    }
}

/// Reads a document of the kind CustomResourceDefinition.
fn custom_resource_definition(
    mut map: Map<String, Value>,
    mut written: Written,
    repeated: &[RepeatedKey],
    reading: &mut Reading,
) {
    match map.get("apiVersion").and_then(Value::as_str) {
        Some(API_VERSION) => crd::read(map, None, written, &[], repeated, reading),
        Some(v1beta1::API_VERSION) => {
            let (parts, versions) = v1beta1::copied(&map);
            if crd::refuses_copies(parts, versions, &written, reading) {
                return;
            }
            let Converted { moves, unknown } = v1beta1::to_v1(&mut map);
            written.moves = Some(Arc::new(moves));
            crd::read(map, None, written, &unknown, repeated, reading);
        }
        other => {
            let name = map.get("metadata").and_then(|metadata| metadata.get("name")).and_then(Value::as_str);
            other_version(name.map(shortened), other, &written, reading);
        }
    }
}

/// Whether a document of this file is a patch: kustomize merges it into a CRD. A CRD that was cut off could look like one, so its folder decides.
fn is_patch(map: &Map<String, Value>, file: &str) -> bool {
    let spec = map.get("spec").and_then(Value::as_object);
    let has = |key: &str| map.contains_key(key) || spec.is_some_and(|spec| spec.contains_key(key));
    has("$patch") || is_in("patches", file) && !["group", "names", "versions", "version", "scope"].into_iter().any(has)
}

/// Reads the items of a list. Those of a list of CRDs need not say what they are; the list does.
fn items(
    mut map: Map<String, Value>,
    of: Option<String>,
    written: &Written,
    repeated: &[RepeatedKey],
    reading: &mut Reading,
) {
    let items = match map.remove("items") {
        Some(Value::Array(items)) => items,
        None | Some(Value::Null) => Vec::new(),
        Some(other) => {
            let message = format!("`items` of a list is {}", describe(&other));
            let fix = "Write the objects as a list, or as documents of their own".to_owned();
            return reading.push_in_document(codes::CRD_KIND, written.path("items"), message, fix);
        }
    };
    // The lines of lists in lists would take too long to find, and such lists do not occur.
    let places = match written.above.is_empty() {
        true => item_positions(&written.source.text, written.section, "items"),
        false => Vec::new(),
    };
    for (index, mut item) in items.into_iter().enumerate() {
        if let (Some(api_version), Value::Object(item)) = (&of, &mut item) {
            item.entry("apiVersion").or_insert_with(|| Value::String(api_version.clone()));
            item.entry("kind").or_insert_with(|| Value::String(KIND.to_owned()));
        }
        let above = format!("{}items[{index}].", written.above);
        let line = places.get(index).map_or(written.line, |place| place.line);
        let written = Written { above, line, ..written.clone() };
        object(item, written, repeated, reading);
        if reading.is_done() {
            return;
        }
    }
}

/// A CRD of an apiVersion that is not read.
fn other_version(name: Option<String>, api_version: Option<&str>, written: &Written, reading: &mut Reading) {
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
    reading.push_in_document(codes::CRD_VERSION, written.path("apiVersion"), message, fix);
}

fn pass_over(kind: String, name: Option<String>, written: &Written, reading: &mut Reading) {
    let line = Some(written.line);
    reading.pass_over(PassedOver { kind, name, file: written.source.name.clone(), line });
}

fn describe(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    }
}
