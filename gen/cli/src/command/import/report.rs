//! The report of `import`, and as JSON.

use std::path::PathBuf;

use crd_diagnostics::{Diagnostic, Severity};
use crd_generator::session::Session;
use crd_model::document::SchemaVersion;
use serde::Serialize;

/// The CRDs of an import, and the findings in them.
#[derive(Default)]
pub(super) struct Imported {
    pub(super) folder: PathBuf,
    pub(super) crds: usize,
    pub(super) written: usize,
    pub(super) skipped: Vec<String>,
    /// The number of further skipped documents.
    pub(super) more_skipped: usize,
    pub(super) findings: Vec<Diagnostic>,
}

impl Imported {
    pub(super) fn is_refused(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Error)
    }
}

/// What `import` prints with `--format json`: one document, on one line. Exit code 1: a CRD is refused.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Import<'i> {
    schema_version: SchemaVersion<1>,
    /// The folder of the bundle; null after an error.
    folder: Option<String>,
    /// How many CRDs were imported.
    crds: usize,
    /// How many files were written.
    written: usize,
    /// Documents and CRDs that were left out, and why.
    skipped: &'i [String],
    /// How many further documents were left out.
    more_skipped: usize,
    /// What is wrong in the CRDs. With an error, nothing is written.
    findings: &'i [Diagnostic],
    /// Why nothing was imported.
    errors: Vec<Diagnostic>,
}

pub(super) fn document<'i>(result: &'i Result<Imported, Vec<Diagnostic>>, session: &Session<'_>) -> Import<'i> {
    let imported = match result {
        Err(_) => return Import { errors: session.errors(result), ..Import::default() },
        Ok(imported) => imported,
    };
    Import {
        schema_version: SchemaVersion,
        folder: Some(session.shown(&imported.folder).display().to_string()),
        crds: imported.crds,
        written: imported.written,
        skipped: &imported.skipped,
        more_skipped: imported.more_skipped,
        findings: &imported.findings,
        errors: Vec::new(),
    }
}
