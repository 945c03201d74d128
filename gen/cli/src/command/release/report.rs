//! The report of `release`, as text and as JSON.
//!
//! Invariants: both contain the same facts. Written files go to stdout, refusals and notes to stderr.

use std::collections::BTreeMap;

use crd_bundle::Released;
use crd_diagnostics::layout::count;
use crd_diagnostics::style::NAME;
use crd_diagnostics::{Diagnostic, Format};
use crd_generator::exit::Exit;
use crd_generator::root::BUNDLES;
use crd_generator::session::Session;
use crd_model::document::SchemaVersion;
use crd_review::gate::{Reason, Refusal};
use crd_review::report::Findings;
use crd_stamps::BundleVersion;
use serde::Serialize;

use super::push::{Artefact, Pushed};
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
        session.print(reviewed.report.render(Format::Text, session.width, verbose));
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

/// What `release` prints with `--format json`: one document, on one line.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Release<'r> {
    schema_version: SchemaVersion<1>,
    /// Whether files were written.
    written: bool,
    /// Absent if nothing could be checked.
    #[serde(flatten)]
    bundle: Option<ReleasedBundle<'r>>,
    /// Why nothing could be checked, or why it was not pushed.
    errors: Vec<Diagnostic>,
}

/// A bundle that is released, or could be.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ReleasedBundle<'r> {
    version: BundleVersion,
    /// The bundle that it is compared with; null for the first one.
    baseline: Option<BundleVersion>,
    /// The release date.
    released: Released,
    /// What names the release date.
    released_by: &'r str,
    /// Whether nothing was to be written.
    dry_run: bool,
    /// Whether the bundle exists with the same bytes.
    exists: bool,
    /// What `check` prints about the bundle.
    check: Findings<'r>,
    /// Why it is not released.
    refusals: Vec<Diagnostic>,
    /// The files of the bundle.
    bundle: WrittenFolder<'r>,
    /// The files to publish.
    dist: WrittenFolder<'r>,
    /// The artefacts that the registry has now.
    pushed: &'r [Artefact],
    /// Additional notes, each a sentence.
    notes: &'r [String],
}

/// A folder with its files.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct WrittenFolder<'r> {
    /// The folder.
    folder: String,
    /// Its files.
    files: Vec<WrittenFile<'r>>,
}

/// A file.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct WrittenFile<'r> {
    /// Its path in the folder.
    path: &'r str,
    /// Its size.
    bytes: usize,
}

impl<'r> WrittenFolder<'r> {
    fn new(folder: String, files: &'r [(String, usize)]) -> Self {
        Self { folder, files: files.iter().map(|(path, bytes)| WrittenFile { path, bytes: *bytes }).collect() }
    }
}

pub(super) fn document<'r>(
    result: &'r Result<(&Options, ReleaseReport), Vec<Diagnostic>>,
    pushed: &'r Result<Pushed, Vec<Diagnostic>>,
    session: &Session<'_>,
) -> Release<'r> {
    let bundle = result.as_ref().ok().map(|(options, report)| ReleasedBundle {
        version: options.version,
        baseline: report.reviewed.baseline,
        released: report.date.released,
        released_by: report.date.source,
        dry_run: options.dry_run,
        exists: report.is_existing,
        check: report.reviewed.report.document(),
        refusals: report.refusals.iter().map(|refusal| session.relative(&refusal.diagnostic)).collect(),
        bundle: WrittenFolder::new(format!("{BUNDLES}/{}", options.version), &report.bundle),
        dist: WrittenFolder::new(options.dist.clone(), &report.dist),
        pushed: pushed.as_ref().map(|pushed| &*pushed.0).unwrap_or_default(),
        notes: &report.notes,
    });
    let is_written = |bundle: &ReleasedBundle<'_>| bundle.refusals.is_empty() && !bundle.dry_run;
    let errors = [session.errors(result), session.errors(pushed)].concat();
    Release { schema_version: SchemaVersion, written: bundle.as_ref().is_some_and(is_written), bundle, errors }
}
