//! The report as a JSON document.
//!
//! Invariant: [`OBJECTS`] is once in the text of a document.

use crd_diagnostics::{Diagnostic, Severity};
use crd_model::document::SchemaVersion;
use crd_upgrade::inspect::{ObjectReport, Report};
use serde::Serialize;

/// The key of the objects, which are written one by one: no other key of this name has a list.
pub(crate) const OBJECTS: &str = r#""objects":[]"#;

/// What `inspect` prints with `--format json`: one document, on one line. Exit code 0: no error and no warning was found. 1: there are findings. 2:
/// something cannot be read; then `failures` has the reasons, and the rest of the document is what could be read. Without a connection, without the
/// CRDs, or without a usable option, stdout is empty, and stderr has the reason.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Inspection<'r> {
    schema_version: SchemaVersion<1>,
    #[serde(flatten)]
    report: &'r Report,
    /// All findings: those about the installation, then those of each CRD. Findings about objects are counted; `objects` lists them.
    findings: Vec<&'r Diagnostic>,
    /// What cannot be read.
    failures: &'r [Diagnostic],
    summary: Summary,
    /// Every object with a finding, in the order of CRD, namespace and name. They are written one by one.
    objects: Vec<ObjectReport>,
}

/// Numbers.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Summary {
    /// How many objects there are.
    objects: u64,
    /// How many findings are errors.
    errors: usize,
    /// How many findings are warnings.
    warnings: usize,
    /// How many findings are notes, which are facts and not a reason to act.
    notes: usize,
}

/// The document without its objects.
pub(crate) fn inspection(report: &Report) -> Inspection<'_> {
    Inspection {
        schema_version: SchemaVersion,
        report,
        findings: report.findings().collect(),
        failures: &report.failures,
        summary: Summary {
            objects: report.objects(),
            errors: report.number(Severity::Error),
            warnings: report.number(Severity::Warning),
            notes: report.number(Severity::Note),
        },
        objects: Vec::new(),
    }
}
