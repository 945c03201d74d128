//! The report of `import`, and as JSON.

use std::path::PathBuf;

use crd_apiserver::refusal;
use crd_diagnostics::json;
use crd_diagnostics::{CrdLocation, Diagnostic, Severity};
use crd_generator::session::Session;
use serde_json::{Value, json};

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

/// A finding as JSON: a refusal names its rule below `structure/`, and its location is part of its message.
fn finding_in_json(finding: &Diagnostic) -> Value {
    let locations = std::iter::once(&*finding.location).chain(finding.related.iter().map(|related| &related.location));
    let places = locations.map(|location| {
        json!({
            "crd": location.crd.as_ref().map(|crd| &crd.name),
            "file": location.file.as_ref().map(|file| file.to_string_lossy()),
            "line": location.line,
            "column": location.column,
        })
    });
    let (rule, message) = match &finding.location.crd {
        Some(CrdLocation { name, version, path }) if refusal::RULES.iter().any(|rule| rule.id == finding.code) => {
            let parts = [Some(&**name), version.as_deref(), Some(path), Some(&finding.message)];
            let parts = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>();
            (format!("structure/{}", finding.code), parts.join(": "))
        }
        _ => (finding.code.to_owned(), finding.message.clone()),
    };
    json!({
        "rule": rule,
        "severity": finding.severity.word(),
        "message": message,
        "fix": finding.help.as_deref().unwrap_or_default(),
        "places": places.collect::<Vec<_>>(),
    })
}

pub(super) fn document(result: &Result<Imported, Vec<Diagnostic>>, session: &Session<'_>) -> Value {
    let nothing = Imported::default();
    let imported = result.as_ref().unwrap_or(&nothing);
    json!({
        "schemaVersion": json::SCHEMA_VERSION,
        "folder": result.as_ref().ok().map(|imported| session.shown(&imported.folder).display().to_string()),
        "crds": imported.crds,
        "written": imported.written,
        "passedOver": imported.skipped,
        "morePassedOver": imported.more_skipped,
        "findings": imported.findings.iter().map(finding_in_json).collect::<Vec<_>>(),
        "errors": session.json_errors(result),
    })
}
