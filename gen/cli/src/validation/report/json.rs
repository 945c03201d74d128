//! The result as a JSON document: `gen/cli/schemas/validation.json`.
//!
//! Invariants: every key is always present, with null where it does not apply.

use crd_diagnostics::json::SCHEMA_VERSION;
use crd_diagnostics::{Diagnostic, Severity};
use crd_generator::exit::Exit;
use crd_review::report::left_out;
use crd_suite::objects::validation::{CheckedFile, CheckedObject, Finding, Operation, Validation, Verdict};
use serde_json::{Value, json};

use super::{exit, not_checked, summary};

pub(super) fn document(validation: &Validation) -> Value {
    let minors = |minors: &[u32]| minors.iter().map(|minor| format!("1.{minor}")).collect::<Vec<_>>();
    let skipped = validation.skipped();
    let skipped = skipped
        .iter()
        .map(|((api_version, kind), number)| json!({"apiVersion": api_version, "kind": kind, "objects": number}));
    let files = validation.files.iter();
    json!({
        "schemaVersion": SCHEMA_VERSION,
        "kubernetes": minors(&validation.minors),
        "valid": exit(validation) == Exit::Fine,
        "objects": files.flat_map(|file| file.objects.iter().map(move |checked| object(file, checked))).collect::<Vec<_>>(),
        "skipped": skipped.collect::<Vec<_>>(),
        "warnings": validation.warnings.iter().map(error).collect::<Vec<_>>(),
        "leftOut": validation.left_out.iter().map(left_out).collect::<Vec<_>>(),
        "errors": validation.all_errors().map(error).collect::<Vec<_>>(),
        "summary": summary(validation),
        "notChecked": not_checked(validation),
    })
}

/// An error outside objects.
fn error(diagnostic: &Diagnostic) -> Value {
    let mut document = crd_diagnostics::json::error(diagnostic);
    document["column"] = json!(diagnostic.location.column);
    document
}

fn object(file: &CheckedFile, object: &CheckedObject) -> Value {
    let CheckedObject { api_version, name, line, column, operation, verdict, findings, stored } = object;
    json!({
        "file": file.name,
        "line": line,
        "column": column,
        "apiVersion": api_version,
        "kind": name.kind,
        "namespace": name.namespace,
        "name": name.name,
        "operation": match operation {
            Operation::Create => "create",
            Operation::Update => "update",
            Operation::UpdateStatus => "updateStatus",
        },
        "verdict": match verdict {
            Verdict::Accepted => "accepted",
            Verdict::Refused => "refused",
            Verdict::Skipped => "skipped",
            Verdict::Unchecked => "unchecked",
        },
        "findings": findings.iter().map(finding).collect::<Vec<_>>(),
        "stored": stored,
    })
}

fn finding(finding: &Finding) -> Value {
    let Finding { diagnostic, reason, field, minors } = finding;
    json!({
        "code": diagnostic.code,
        "severity": match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        },
        "reason": reason,
        "field": field,
        "message": diagnostic.message,
        "help": diagnostic.help,
        "line": diagnostic.location.line,
        "column": diagnostic.location.column,
        "kubernetes": minors.iter().map(|minor| format!("1.{minor}")).collect::<Vec<_>>(),
    })
}
