//! The report of `release`, as text and as JSON.
//!
//! Invariants: both contain the same facts. Written files go to stdout, refusals and notes to stderr.

use std::collections::BTreeMap;

use crd_diagnostics::Diagnostic;
use crd_diagnostics::json;
use crd_diagnostics::layout::count;
use crd_diagnostics::style::NAME;
use crd_generator::exit::Exit;
use crd_generator::root::BUNDLES;
use crd_generator::session::Session;
use crd_review::gate::{Reason, Refusal};
use crd_review::report::ReportFormat;
use serde_json::{Value, json};

use super::push::Pushed;
use crate::release::{Options, ReleaseReport};

/// The exit of a command with these refusals.
pub(super) fn exit(refusals: &[Refusal]) -> Exit {
    match refusals {
        [] => Exit::Fine,
        // As in every command that cannot write a file.
        all if all.iter().any(|refusal| refusal.reason == Reason::InTheWay) => Exit::Unusable,
        // As in `generate --check`.
        all if all.iter().all(|refusal| refusal.reason == Reason::Stale) => Exit::Stale,
        _ => Exit::Findings,
    }
}

pub(super) fn print(report: &ReleaseReport, options: &Options, verbose: bool, session: &mut Session<'_>) {
    let ReleaseReport { date, reviewed, refusals, .. } = report;
    let version = options.version;
    if refusals.iter().any(|refusal| refusal.reason == Reason::Findings) {
        session.print(reviewed.report.render(ReportFormat::Text, session.width, verbose));
    }
    session.notes(&report.notes);
    if !refusals.is_empty() {
        let diagnostics = refusals.iter().map(|refusal| refusal.diagnostic.clone());
        session.diagnostics(&diagnostics.collect::<Vec<_>>());
        session.print_err(format!("{version} was not released; no file has changed\n"));
        return;
    }
    let verdict = &reviewed.report.verdict;
    let summary = match reviewed.baseline {
        Some(baseline) => {
            let channels = verdict.channels.iter().map(|(channel, bump)| format!(", {channel} {bump}"));
            format!("over {baseline}: {}{}", verdict.bundle, channels.collect::<String>())
        }
        None => "the first bundle: there is no baseline".to_owned(),
    };
    session.print(format!("{NAME}{version}{NAME:#}  {summary}; released {} ({})\n", date.released, date.source));
    let written = if options.dry_run { "would be written" } else { "written" };
    let state = if report.is_existing { "unchanged" } else { written };
    let bundle = options.root.join(BUNDLES).join(version.to_string());
    session.print(format!("{}: {}, {state}\n", session.shown(&bundle).display(), total(&report.bundle)));
    let dist = options.root.join(&options.dist);
    session.print(format!("{}: {}, {written}\n", session.shown(&dist).display(), total(&report.dist)));
    // A folder is one line.
    let mut lines: BTreeMap<String, Vec<(String, usize)>> = BTreeMap::new();
    for (path, size) in &report.dist {
        let name = path.split_once('/').map_or(path.clone(), |(folder, _)| format!("{folder}/"));
        lines.entry(name).or_default().push((path.clone(), *size));
    }
    let widest = lines.keys().map(String::len).max().unwrap_or_default();
    for (name, files) in &lines {
        let size = match &**files {
            [(path, size)] if path == name => count(*size, "byte"),
            files => total(files),
        };
        session.print(format!("  {name:widest$}  {size}\n"));
    }
    if !options.dry_run && !report.is_existing {
        session.note(format!(
            "commit {BUNDLES}/{version} and tag the commit {version}; CI builds the same {} at the tag",
            options.dist
        ));
    }
}

fn total(files: &[(String, usize)]) -> String {
    let bytes = files.iter().map(|(_, size)| size).sum();
    format!("{}, {}", count(files.len(), "file"), count(bytes, "byte"))
}

pub(super) fn document(
    result: &Result<(&Options, ReleaseReport), Vec<Diagnostic>>,
    pushed: &Result<Pushed, Vec<Diagnostic>>,
    session: &Session<'_>,
) -> Value {
    let Ok((options, report)) = result else {
        return json!({
            "schemaVersion": json::SCHEMA_VERSION,
            "written": false,
            "errors": session.json_errors(result),
        });
    };
    json!({
        "schemaVersion": json::SCHEMA_VERSION,
        "version": options.version.to_string(),
        "baseline": report.reviewed.baseline.map(|baseline| baseline.to_string()),
        "released": report.date.released.to_string(),
        "releasedBy": report.date.source,
        "dryRun": options.dry_run,
        "isThere": report.is_existing,
        "written": report.refusals.is_empty() && !options.dry_run,
        "judgement": report.reviewed.report.document(),
        "refusals": report.refusals.iter().map(|refusal| refusal_json(refusal, session)).collect::<Vec<_>>(),
        "bundle": { "folder": format!("{BUNDLES}/{}", options.version), "files": files_json(&report.bundle) },
        "dist": { "folder": options.dist, "files": files_json(&report.dist) },
        "pushed": pushed.as_ref().map(|pushed| &*pushed.0).unwrap_or_default(),
        "notes": report.notes,
        "errors": session.json_errors(pushed),
    })
}

fn files_json(files: &[(String, usize)]) -> Value {
    files.iter().map(|(path, size)| json!({ "path": path, "bytes": size })).collect()
}

fn refusal_json(refusal: &Refusal, session: &Session<'_>) -> Value {
    let diagnostic = refusal.diagnostic.clone().relative_to(&session.folder);
    json!({
        "reason": refusal.reason.name(),
        "path": diagnostic.location.file.as_ref().map(|path| path.display().to_string()),
        "message": diagnostic.message,
        "fix": diagnostic.help.as_deref().unwrap_or_default(),
    })
}
