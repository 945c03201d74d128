//! Findings as SARIF 2.1.0.
//!
//! Invariants: a waiver is a suppression only if the finding passes because of it; fingerprints depend on the finding and its location only.

use crd_compat::{Finding, RequiredBump};
use crd_diagnostics::sarif::{Rule, Run};
use crd_diagnostics::{Diagnostic, Severity};
use serde_json::{Value, json};

use super::catalogue::{Entry, entries};
use super::json::Facts;
use super::{Located, Report, is_silent, sentence, summary, values};

/// The document of a report.
pub(super) fn document(report: &Report) -> Value {
    let mut run = Run::new(entries().iter().map(rule).collect());
    // Without a baseline, a result is neither new nor unchanged.
    let state = |is_known: bool| match (&report.baseline, is_known) {
        (None, _) => json!({}),
        (Some(_), true) => json!({"baselineState": "unchanged"}),
        (Some(_), false) => json!({"baselineState": "new"}),
    };
    for problem in &report.problems {
        let crd = problem.location.crd.as_ref();
        let (name, path) = crd.map(|crd| (&*crd.name, &*crd.path)).unwrap_or_default();
        run.result(problem, &[problem.code, name, path, &problem.message], state(false));
    }
    for located in report.ordered() {
        add(&mut run, report, located, state(located.finding.known));
    }
    for warning in &report.warnings {
        let file = warning.location.file.as_ref().map(|file| file.to_string_lossy()).unwrap_or_default();
        run.result(warning, &[warning.code, &file, &warning.message], json!({}));
    }
    let messages = report.notes.iter().cloned().chain(summary::sentences(report)).chain(summary::gate(report));
    let messages = messages.map(|text| (Severity::Note, text)).collect::<Vec<_>>();
    run.log(true, &messages, json!(Facts::from(report)))
}

/// The document of a comparison that failed.
pub(super) fn refusal(errors: Vec<String>) -> Value {
    let errors = errors.into_iter().map(|text| (Severity::Error, text)).collect::<Vec<_>>();
    Run::new(entries().iter().map(rule).collect()).log(false, &errors, json!({}))
}

fn rule(entry: &Entry) -> Rule {
    Rule {
        id: entry.id,
        summary: entry.summary.clone(),
        explanation: entry.explanation.clone(),
        severity: match entry.usual {
            usual if usual.blocks() => Severity::Error,
            RequiredBump::Major => Severity::Warning,
            _ => Severity::Note,
        },
        properties: if entry.policy.is_null() { Value::Null } else { json!({"policy": entry.policy}) },
    }
}

/// Adds the result of a finding.
fn add(run: &mut Run, report: &Report, located: &Located, mut more: Value) {
    let finding = &located.finding;
    let mut diagnostic = Diagnostic { message: sentence::message(finding, report), ..report.diagnostic(located) };
    // A finding that passes because of a waiver keeps the level that it would have, and is suppressed.
    if let Some(waived) = finding.waived.as_ref().filter(|_| diagnostic.severity < Severity::Error) {
        diagnostic.severity = report.severity(&Finding { waived: None, ..finding.clone() });
        more["suppressions"] = json!([{
            "kind": "external",
            "status": "accepted",
            "justification": waived.reason,
            "properties": {"waivedTo": waived.to.word()},
        }]);
    }
    if is_silent(finding) {
        more["kind"] = json!("informational");
        more["level"] = json!("none");
    }
    more["properties"] = json!({
        "channel": finding.channel,
        "requiredBump": finding.required_bump,
        "effectiveBump": finding.effective(),
        "direction": finding.direction,
        "decides": report.decides(finding),
    });
    let identity = [
        finding.rule,
        finding.channel.name(),
        &finding.crd,
        finding.version.as_deref().unwrap_or_default(),
        &finding.path,
        &finding.before.as_ref().map(values::text).unwrap_or_default(),
        &finding.after.as_ref().map(values::text).unwrap_or_default(),
    ];
    run.result(&diagnostic, &identity, more);
}
