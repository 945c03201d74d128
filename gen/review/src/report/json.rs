//! Findings as a JSON document.
//!
//! Invariants: every finding is included, also folded and silent ones, with unchanged values; a documented key is always present, except
//! `before` and `after`, because null is a value.

use crd_bundle::published::skips::LeftOut;
use crd_compat::{Decision, Finding, Lowered, Project, RequiredBump, Witness};
use crd_diagnostics::Diagnostic;
use serde_json::{Map, Value, json};

use super::{Gate, Located, Named, Report, summary};
use crd_diagnostics::json::{SCHEMA_VERSION, problem, source};

/// What a report states once: every document about it has these keys. Without a report, nothing could be checked.
pub(super) fn facts(report: Option<&Report>) -> Value {
    let gate = report.and_then(|report| report.gate.as_ref());
    json!({
        "baseline": report.and_then(|report| report.baseline.as_ref()).map(named),
        "candidate": report.map(|report| named(&report.candidate)),
        "profile": report.map(|report| report.profile.profile.name()),
        "profileReason": report.map(|report| report.profile.reason.text()),
        "verdict": report.map(|report| report.verdict.bundle.word()),
        "verdictWithoutWaivers": report.map(|report| report.verdict.without_waivers.word()),
        "permitted": report.and_then(|report| report.permitted).map(RequiredBump::word),
        "needed": report.and_then(|report| report.needed.as_ref()),
        "limit": gate.and_then(Gate::requested),
        "gate": gate.map(|gate| &gate.name),
        "gateReason": gate.map(|gate| gate.reason.text()),
        "fits": report.is_some_and(Report::fits),
    })
}

/// The document of a report.
pub(super) fn document(report: &Report) -> Value {
    let channels = report.channels.iter().map(|channel| {
        let verdict = report.verdict.channels.get(&channel.channel).filter(|_| channel.skipped.is_none());
        json!({
            "channel": channel.channel.name(),
            "judged": channel.skipped.is_none(),
            "reason": channel.skipped,
            "verdict": verdict.map(|required_bump| required_bump.word()),
        })
    });
    let mut document = facts(Some(report));
    document["schemaVersion"] = SCHEMA_VERSION.into();
    document["projects"] = report.projects.iter().map(project).collect();
    document["channels"] = channels.collect();
    document["findings"] = report.ordered().into_iter().map(|located| finding(located, report)).collect();
    document["problems"] = report.problems.iter().map(problem).collect();
    document["notes"] = json!(report.notes);
    document["warnings"] = report.warnings.iter().map(warning).collect();
    document["leftOut"] = report.left_out.iter().map(left_out).collect();
    document["summary"] = json!(summary::sentences(report));
    document["errors"] = json!([]);
    document
}

/// The document if nothing could be checked.
pub(super) fn refusal(errors: Vec<Value>) -> Value {
    let mut document = facts(None);
    for list in ["channels", "findings", "leftOut", "notes", "problems", "projects", "summary", "warnings"] {
        document[list] = json!([]);
    }
    document["schemaVersion"] = SCHEMA_VERSION.into();
    document["errors"] = json!(errors);
    document
}

fn project(project: &Project) -> Value {
    let Project { prefix, groups, channels, crds } = project;
    let channels = channels.iter().map(|channel| channel.name()).collect::<Vec<_>>();
    json!({"prefix": prefix, "groups": groups, "channels": channels, "crds": crds.len()})
}

fn warning(warning: &Diagnostic) -> Value {
    json!({"code": warning.code, "message": warning.message, "fix": warning.help, "source": source(warning)})
}

/// A file or CRD that was left out, as every JSON document has it.
pub fn left_out(left_out: &LeftOut) -> Value {
    let LeftOut { file, crd, reason, option, .. } = left_out;
    let (crd, line) = crd.as_ref().map(|(crd, line)| (crd, line)).unzip();
    json!({"file": file, "crd": crd, "line": line, "option": option, "reason": reason})
}

fn named(named: &Named) -> Value {
    json!({"name": named.name, "version": named.version})
}

fn finding(located: &Located, report: &Report) -> Value {
    let finding = &located.finding;
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| map.insert(key.to_owned(), value);
    put("rule", json!(finding.rule));
    put("severity", json!(report.severity(finding).word()));
    put("decides", json!(report.decides(finding)));
    put("ruling", json!(finding.required_bump.word()));
    put("lowered_by", json!(finding.lowered.map(Lowered::word)));
    put("effective", json!(finding.effective().word()));
    put("needs", finding.needs.iter().map(|need| json!(need.word())).collect());
    put("warning", json!(finding.warning));
    put("channel", json!(finding.channel.name()));
    put("crd", json!(finding.crd));
    put("version", json!(finding.version));
    put("path", json!(finding.path));
    put("direction", json!(finding.direction.map(|direction| direction.word())));
    put("message", json!(finding.message));
    put("fix", json!(finding.fix));
    put("decided_by", json!(finding.decision().map(Decision::word)));
    put("witness", witness(finding));
    put("known", json!(finding.known));
    let waived = finding.waived.as_ref().map(|waived| json!({"to": waived.to.word(), "reason": waived.reason}));
    put("waived", json!(waived));
    put("source", source(&report.diagnostic(located)));
    for (key, value) in [("before", &finding.before), ("after", &finding.after)] {
        if let Some(value) = value {
            put(key, value.clone());
        }
    }
    Value::Object(map)
}

fn witness(finding: &Finding) -> Value {
    match &finding.witness {
        Some(Witness::Object(object)) => json!({"object": object, "stored": null, "subresource": null, "reason": null}),
        Some(Witness::Status { stored, object }) => {
            json!({"object": object, "stored": stored, "subresource": "status", "reason": null})
        }
        Some(Witness::Update { old, new }) => {
            json!({"object": new, "stored": old, "subresource": null, "reason": null})
        }
        Some(Witness::None(reason)) => json!({"object": null, "stored": null, "subresource": null, "reason": reason}),
        None => Value::Null,
    }
}
