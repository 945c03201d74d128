//! The result of a conversion, for reading and as JSON (`gen/cli/schemas/conversion.json`).
//!
//! Invariants: both name every object that was converted or failed, the lenses that were applied, what was lost, and what the annotation keeps.

use crd_diagnostics::layout::count;
use crd_diagnostics::printable;
use crd_generator::session::Session;
use crd_suite::objects::conversion::{Converted, ConvertedFile, ConvertedObject, Outcome};
use serde_json::{Value, json};

use super::Conversion;

/// The version of the JSON document.
const VERSION: u32 = 1;

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
    pub(crate) fn document(&self, session: &Session<'_>) -> Value {
        let objects = self.objects().map(|(file, object)| object_document(file, object, session));
        let errors = self.errors.iter().chain(self.files.iter().flat_map(|file| &file.errors));
        json!({
            "schemaVersion": VERSION,
            "objects": objects.collect::<Vec<_>>(),
            "errors": errors.map(|error| session.json(error)).collect::<Vec<_>>(),
            "summary": self.summary(),
        })
    }
}

fn object_document(file: &ConvertedFile, object: &ConvertedObject, session: &Session<'_>) -> Value {
    let ConvertedObject { api_version, name, line, column, outcome } = object;
    let (word, converted, lost, error) = match outcome {
        Outcome::Unchanged { lost } => ("unchanged", None, &**lost, None),
        Outcome::Converted(converted) => ("converted", Some(converted), &*converted.lost, None),
        Outcome::Failed(diagnostic) => ("failed", None, &[][..], Some(session.json(diagnostic))),
    };
    json!({
        "file": file.name,
        "line": line,
        "column": column,
        "apiVersion": api_version,
        "kind": name.kind,
        "namespace": name.namespace,
        "name": name.name,
        "outcome": word,
        "applied": converted.map(|converted| &*converted.applied).unwrap_or_default(),
        "lost": lost,
        "kept": converted.map(|converted| &*converted.kept).unwrap_or_default(),
        "object": converted.and_then(|converted| converted.object.as_ref()),
        "error": error,
    })
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
