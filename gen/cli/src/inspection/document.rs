//! The report as a JSON document: `gen/cli/schemas/inspection.json`.
//!
//! Invariants: every key is always present; a part that does not apply is `null`. The objects are the last key, so that they are written one by one.

use crd_diagnostics::json::SCHEMA_VERSION;
use crd_diagnostics::{Diagnostic, ObjectName, Severity};
use crd_upgrade::inspect::{ObjectReport, Report};
use serde_json::{Value, json};

/// The document without its objects.
pub(crate) fn report(report: &Report) -> Value {
    let number = |severity| report.number(severity);
    // Its keys are texts, so it is a document.
    let mut document = serde_json::to_value(report).unwrap_or_default();
    document["schemaVersion"] = SCHEMA_VERSION.into();
    document["findings"] = report.findings().map(finding).collect();
    document["failures"] = report.failures.iter().map(finding).collect();
    document["summary"] = json!({
        "objects": report.objects(),
        "errors": number(Severity::Error),
        "warnings": number(Severity::Warning),
        "notes": number(Severity::Note),
    });
    document
}

/// A diagnostic about a CRD or an object.
pub(crate) fn finding(diagnostic: &Diagnostic) -> Value {
    let location = &diagnostic.location;
    let crd = location.crd.as_ref();
    json!({
        "code": diagnostic.code,
        "severity": diagnostic.severity.word(),
        "crd": crd.map(|crd| &crd.name),
        "version": crd.and_then(|crd| crd.version.as_ref()),
        "path": crd.map(|crd| &*crd.path).filter(|path| !path.is_empty()),
        "object": location.object.as_ref().map(name),
        "message": diagnostic.message,
        "help": diagnostic.help,
    })
}

fn name(object: &ObjectName) -> Value {
    json!({ "kind": object.kind, "namespace": object.namespace, "name": object.name })
}

/// An object about which there is something to report.
pub(crate) fn object(report: &ObjectReport) -> Value {
    let finding = |finding: &crd_upgrade::inspect::ObjectFinding| {
        json!({
            "code": finding.code,
            "severity": finding.severity.word(),
            "path": Some(&finding.path).filter(|path| !path.is_empty()),
            "detail": Some(&finding.detail).filter(|detail| !detail.is_empty()),
        })
    };
    let findings = report.findings.iter().map(finding).collect::<Vec<_>>();
    json!({ "crd": report.crd, "object": name(&report.object), "findings": findings })
}
