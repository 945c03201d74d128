//! What `release` says: lines for people, a document for programs.
//!
//! Invariants: both forms say the same; what was written goes to stdout, reasons and notes to stderr.

use std::path::PathBuf;

use crd_bundle::BundleVersion;
use serde_json::{Value, json};

use super::DIST;
use crate::exit::Exit;
use crate::release_date::ReleaseDate;
use crate::session::Session;
use crate::source::BUNDLES;
use crd_diagnostics::Diagnostic;
use crd_diagnostics::json;
use crd_diagnostics::layout::count;
use crd_diagnostics::style::NAME;
use crd_review::Reviewed;
use crd_review::gate::Files;
use crd_review::gate::{Reason, Refusal};
use crd_review::report::ReportFormat;

/// What was done, or with `--dry-run` would be.
pub(super) struct Report {
    pub(super) version: BundleVersion,
    pub(super) date: ReleaseDate,
    pub(super) is_dry: bool,
    /// Whether the bundle was there before.
    pub(super) is_there: bool,
    /// Whether git was asked.
    pub(super) has_working_tree: bool,
    /// What the catalogue says is next.
    pub(super) next_version: String,
    pub(super) root: PathBuf,
    /// Path and size of each file.
    pub(super) bundle: Vec<(String, usize)>,
    pub(super) dist: Vec<(String, usize)>,
    pub(super) reviewed: Reviewed,
    pub(super) refusals: Vec<Refusal>,
    /// What the publication has to say.
    pub(super) notes: Vec<String>,
}

/// Path and size of each file.
pub(super) fn sizes(files: &Files) -> Vec<(String, usize)> {
    files.iter().map(|(path, bytes)| (path.clone(), bytes.len())).collect()
}

impl Report {
    fn is_written(&self) -> bool {
        self.refusals.is_empty() && !self.is_dry
    }

    pub(super) fn exit(&self) -> Exit {
        exit(&self.refusals)
    }

    fn all_notes(&self) -> Vec<String> {
        let mut notes = self.reviewed.report.notes.clone();
        if !self.has_working_tree {
            notes
                .push("there is no git repository here, so nobody can tell whether everything is committed".to_owned());
        }
        let next = self.next_version.parse::<BundleVersion>().ok();
        let release = self.version.core();
        if next.is_some_and(|next| next != release) && !self.is_there {
            notes.push(format!(
                "the catalogue says that {} is next, so that is the version which `cargo xtask check` judges, and not {}",
                self.next_version, self.version
            ));
        }
        notes.extend(self.notes.iter().cloned());
        notes
    }

    pub(super) fn print(&self, verbose: bool, session: &mut Session<'_>) {
        if self.refusals.iter().any(|refusal| refusal.reason == Reason::Findings) {
            // Its notes are among ours.
            session.print(self.reviewed.report.render(ReportFormat::Text, session.columns(), verbose));
        }
        for note in self.all_notes() {
            session.note(note);
        }
        if !self.refusals.is_empty() {
            for refusal in &self.refusals {
                session.diagnostic(&refusal.diagnostic);
            }
            session.complain(format!("{} was not released; no file has changed\n", self.version));
            return;
        }
        let verdict = &self.reviewed.report.verdict;
        let over = match self.reviewed.baseline {
            Some(baseline) => format!("over {baseline}: {}", verdict.bundle),
            None => "the first bundle: there is no baseline".to_owned(),
        };
        let channels = verdict.channels.iter().filter(|_| self.reviewed.baseline.is_some());
        let channels =
            channels.map(|(channel, required_bump)| format!(", {channel} {required_bump}")).collect::<String>();
        session.print(format!(
            "{NAME}{}{NAME:#}  {over}{channels}; released {} ({})\n",
            self.version, self.date.released, self.date.source
        ));
        let bundle = self.root.join(BUNDLES).join(self.version.to_string());
        let would = match (self.is_dry, self.is_there) {
            (_, true) => "is there and stays",
            (true, false) => "would be written",
            (false, false) => "written",
        };
        session.print(format!("{}: {}, {would}\n", session.shown(&bundle).display(), total(&self.bundle)));
        let dist = self.root.join(DIST);
        let would = if self.is_dry { "would be written" } else { "written" };
        session.print(format!("{}: {}, {would}\n", session.shown(&dist).display(), total(&self.dist)));
        let widest = self.dist.iter().map(|(path, _)| path.len()).max().unwrap_or_default();
        for (path, size) in &self.dist {
            session.print(format!("  {path:widest$}  {}\n", count(*size, "byte")));
        }
        if self.is_written() && !self.is_there {
            session.note(format!(
                "commit {BUNDLES}/{version} and tag the commit {version}; CI makes the same {DIST} from it",
                version = self.version
            ));
        }
    }
}

fn total(files: &[(String, usize)]) -> String {
    let bytes = files.iter().map(|(_, size)| size).sum();
    format!("{}, {}", count(files.len(), "file"), count(bytes, "byte"))
}

fn files_json(files: &[(String, usize)]) -> Value {
    files.iter().map(|(path, size)| json!({ "path": path, "bytes": size })).collect()
}

fn refusal_json(refusal: &Refusal, session: &Session<'_>) -> Value {
    let diagnostic = refusal.diagnostic.clone().relative_to(session.folder());
    json!({
        "reason": refusal.reason.name(),
        "path": diagnostic.location.file.as_ref().map(|path| path.display().to_string()),
        "message": diagnostic.message,
        "fix": diagnostic.help.as_deref().unwrap_or_default(),
    })
}

/// The document.
pub(super) fn document(result: &Result<Report, Vec<Diagnostic>>, session: &Session<'_>) -> Value {
    match result {
        Err(faults) => json!({
            "schemaVersion": json::SCHEMA_VERSION,
            "written": false,
            "errors": faults.iter().map(|fault| session.json(fault)).collect::<Vec<_>>(),
        }),
        Ok(report) => json!({
            "schemaVersion": json::SCHEMA_VERSION,
            "version": report.version.to_string(),
            "baseline": report.reviewed.baseline.map(|baseline| baseline.to_string()),
            "released": report.date.released.to_string(),
            "releasedBy": report.date.source,
            "dryRun": report.is_dry,
            "isThere": report.is_there,
            "written": report.is_written(),
            "judgement": report.reviewed.report.document(),
            "refusals": report.refusals.iter().map(|refusal| refusal_json(refusal, session)).collect::<Vec<_>>(),
            "bundle": { "folder": format!("{BUNDLES}/{}", report.version), "files": files_json(&report.bundle) },
            "dist": { "folder": DIST, "files": files_json(&report.dist) },
            "notes": report.all_notes(),
            "errors": [],
        }),
    }
}

/// How a refused release ends.
fn exit(refusals: &[Refusal]) -> Exit {
    match refusals {
        [] => Exit::Fine,
        // As every command that cannot write a file.
        all if all.iter().any(|refusal| refusal.reason == Reason::InTheWay) => Exit::Unusable,
        // As `generate --check`.
        all if all.iter().all(|refusal| refusal.reason == Reason::Stale) => Exit::Stale,
        _ => Exit::Findings,
    }
}
