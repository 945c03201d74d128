//! The outlook as a JSON document.
//!
//! Invariant: the list `objects` is empty, and its key is once in the text of a document ([`crate::inspection::document::OBJECTS`]).

use crd_diagnostics::{Diagnostic, Severity};
use crd_model::document::SchemaVersion;
use crd_upgrade::fate::CrdFate;
use crd_upgrade::inspect::ObjectReport;
use serde::Serialize;

use super::{Outlook, Steps};

/// What `upgrade` prints with `--format json`: one document, on one line. Exit code 0: nothing breaks. 1: there are errors or warnings. 2: something cannot
/// be read; then `failures` has the reasons, or stdout is empty, and stderr has the reason.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Upgrade"))]
pub(crate) struct UpgradeDocument<'u> {
    schema_version: SchemaVersion<1>,
    /// The old CRDs, in words.
    from: &'u str,
    /// The new CRDs, in words.
    to: &'u str,
    /// What becomes of each CRD, by the program that installs it.
    crds: &'u [CrdFate],
    /// What breaks or is lost. Findings about objects are counted; `objects` lists them.
    findings: Vec<&'u Diagnostic>,
    /// What cannot be read.
    failures: &'u [Diagnostic],
    #[serde(flatten)]
    steps: &'u Steps,
    summary: UpgradeSummary,
    /// Every object with a finding, in the order of CRD, namespace and name. They are written one by one.
    objects: Vec<ObjectReport>,
}

/// Numbers.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct UpgradeSummary {
    /// How many objects there are.
    objects: u64,
    /// How many findings are errors.
    errors: usize,
    /// How many findings are warnings.
    warnings: usize,
}

/// The document without its objects.
pub(crate) fn document(outlook: &Outlook) -> UpgradeDocument<'_> {
    let report = &outlook.report;
    UpgradeDocument {
        schema_version: SchemaVersion,
        from: &outlook.from,
        to: &outlook.to,
        crds: &outlook.crds,
        findings: report.findings().collect(),
        failures: &report.failures,
        steps: &outlook.steps,
        summary: UpgradeSummary {
            objects: report.objects(),
            errors: report.number(Severity::Error),
            warnings: report.number(Severity::Warning),
        },
        objects: Vec::new(),
    }
}
