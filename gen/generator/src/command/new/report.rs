//! What `new` prints.

use crd_diagnostics::layout::count;
use crd_diagnostics::style::NAME;
use crd_diagnostics::{Diagnostic, merged};
use crd_model::document::SchemaVersion;
use serde::Serialize;

use super::Written;
use crate::session::Session;

pub(super) fn print(written: &Written, session: &mut Session<'_>) {
    let published = &written.published;
    let differences = &published.differences;
    session.diagnostics(&merged(published.warnings.iter().cloned()));
    session.diagnostics(differences);
    let folder = session.shown(&written.folder).display().to_string();
    let resources = match published.resources.len() {
        0 => String::new(),
        number => format!(", {}", count(number, "root type")),
    };
    let summary = match differences.len() {
        _ if published.resources.is_empty() => String::new(),
        0 => ", without differences".to_owned(),
        number => format!(", {}: the types do not express the parts listed above", count(number, "difference")),
    };
    session.print(format_args!(
        "{NAME}{folder}{NAME:#}: {} written{resources}{summary}\n",
        count(written.files.len(), "file")
    ));
    session.notes(&written.notes);
}

/// What `new` prints with `--format json`: one document, on one line. Exit code 1: the types do not express all of the published CRDs.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NewWorkspace<'n> {
    schema_version: SchemaVersion<1>,
    /// The folder; null after an error.
    folder: Option<String>,
    /// The files that were written.
    files: &'n [String],
    /// The root types of published CRDs.
    resources: Vec<RootType<'n>>,
    /// What the types do not express.
    differences: &'n [Diagnostic],
    /// Warnings about the files of the CRDs.
    warnings: Vec<Diagnostic>,
    /// Additional notes, each a sentence.
    notes: &'n [String],
    /// Why nothing was written.
    errors: Vec<Diagnostic>,
}

/// A root type.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct RootType<'n> {
    /// The name of the CRD.
    crd: &'n str,
    /// The path of the type.
    #[serde(rename = "type")]
    path: &'n str,
}

pub(super) fn document<'n>(result: &'n Result<Written, Vec<Diagnostic>>, session: &Session<'_>) -> NewWorkspace<'n> {
    let Ok(written) = result else {
        return NewWorkspace { errors: session.errors(result), ..NewWorkspace::default() };
    };
    let published = &written.published;
    NewWorkspace {
        schema_version: SchemaVersion,
        folder: Some(session.shown(&written.folder).display().to_string()),
        files: &written.files,
        resources: published.resources.iter().map(|(crd, path)| RootType { crd, path }).collect(),
        differences: &published.differences,
        warnings: published.warnings.iter().map(|warning| session.relative(warning)).collect(),
        notes: &written.notes,
        errors: Vec::new(),
    }
}
