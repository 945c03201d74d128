//! The result of a conversion, for reading and as JSON.
//!
//! Invariants: both name every object that was converted or failed, the lenses that were applied, what was lost, and what the annotation keeps.

use crd_diagnostics::layout::count;
use crd_diagnostics::{Diagnostic, ObjectName, printable};
use crd_generator::session::Session;
use crd_model::document::SchemaVersion;
use crd_suite::objects::conversion::{Converted, ConvertedFile, ConvertedObject, Outcome};
use serde::Serialize;
use serde_json::Value;

use super::Conversion;

impl Conversion {
    /// The converted objects, one line each.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (file, object) in self.objects() {
            let (by, lost, kept) = match &object.outcome {
                Outcome::Converted(Converted { applied, lost, kept, .. }) => match applied.is_empty() {
                    true => ("converted".to_owned(), &**lost, &**kept),
                    false => (format!("converted by {}", quoted(applied)), &**lost, &**kept),
                },
                Outcome::Unchanged { lost } if !lost.is_empty() => ("unchanged".to_owned(), &**lost, &[][..]),
                _ => continue,
            };
            let ConvertedObject { name, line, .. } = object;
            lines.push(printable(&format!("{}:{line}: {name}: {by}", file.name)));
            for (title, words) in [("lost", lost), ("kept", kept)] {
                lines.extend(words.iter().map(|words| printable(&format!("  {title}: {words}"))));
            }
        }
        lines
    }

    /// How many objects were converted, in words.
    pub(crate) fn summary(&self) -> String {
        let all = self.objects().count();
        let converted = self.converted();
        let failed = self.objects().filter(|(_, object)| matches!(object.outcome, Outcome::Failed(_))).count();
        let unchanged = all - converted - failed;
        format!("{}: {converted} converted, {unchanged} unchanged, {failed} failed", count(all, "object"))
    }

    /// The result as JSON.
    pub(crate) fn document(&self, session: &Session<'_>) -> ConversionDocument<'_> {
        let objects = self.objects().map(|(file, object)| object_document(file, object, session));
        let errors = self.errors.iter().chain(self.files.iter().flat_map(|file| &file.errors));
        ConversionDocument {
            schema_version: SchemaVersion,
            objects: objects.collect(),
            errors: errors.map(|error| session.relative(error)).collect(),
            summary: self.summary(),
        }
    }
}

/// What `convert` prints with `--format json`: one document, on one line. Exit code 0: every object has the requested form. 1: an object cannot be
/// converted. 2: no input can be used. 3: with `--check`, an object would be converted.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Conversion"))]
pub(crate) struct ConversionDocument<'c> {
    schema_version: SchemaVersion<1>,
    /// Every object, in the order of the inputs.
    objects: Vec<ObjectOutcome<'c>>,
    /// Inputs and documents that cannot be used.
    errors: Vec<Diagnostic>,
    /// The outcomes in a sentence.
    summary: String,
}

/// An object of an input.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ObjectOutcome<'c> {
    /// The file, as the user named it.
    file: &'c str,
    /// The first line of the object.
    line: usize,
    /// The first column of the object, in characters.
    column: usize,
    /// The apiVersion before the conversion.
    api_version: &'c str,
    #[serde(flatten)]
    name: &'c ObjectName,
    /// What became of the object: `unchanged`, `converted` or `failed`.
    outcome: &'static str,
    /// The lenses that converted it, in their order.
    applied: &'c [String],
    /// What the new form does not have, in words, also of an unchanged object. What a lens loses is nowhere; a value that was kept and does not return
    /// stays in the annotation, as its text states.
    lost: &'c [String],
    /// What the new form cannot express and its annotation keeps, in words.
    kept: &'c [String],
    /// The object in its new form; null unless it was converted.
    object: Option<&'c Value>,
    /// Why the object cannot be converted; null unless it failed.
    error: Option<Diagnostic>,
}

fn object_document<'c>(
    file: &'c ConvertedFile,
    object: &'c ConvertedObject,
    session: &Session<'_>,
) -> ObjectOutcome<'c> {
    let ConvertedObject { api_version, name, line, column, outcome } = object;
    let (word, converted, lost, error) = match outcome {
        Outcome::Unchanged { lost } => ("unchanged", None, &**lost, None),
        Outcome::Converted(converted) => ("converted", Some(converted), &*converted.lost, None),
        Outcome::Failed(diagnostic) => ("failed", None, &[][..], Some(session.relative(diagnostic))),
    };
    ObjectOutcome {
        file: &file.name,
        line: *line,
        column: *column,
        api_version,
        name,
        outcome: word,
        applied: converted.map(|converted| &*converted.applied).unwrap_or_default(),
        lost,
        kept: converted.map(|converted| &*converted.kept).unwrap_or_default(),
        object: converted.and_then(|converted| converted.object.as_ref()),
        error,
    }
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
