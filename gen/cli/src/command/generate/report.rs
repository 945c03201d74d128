//! What `generate` says: lines for people, a document for programs.
//!
//! Invariants: both forms say the same; results go to stdout, notes and errors to stderr.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crd_channels::channel::{CHANNELS, Channel};
use crd_inclusion::Excess;
use serde_json::{Value, json};

use super::Options;
use crate::difference::Difference;
use crate::session::Session;
use crd_diagnostics::Diagnostic;
use crd_diagnostics::json;
use crd_diagnostics::layout::count;
use crd_diagnostics::style::NAME;

/// What was done, or with `--check` what would be.
pub(super) struct Report {
    pub(super) channels: Vec<ChannelReport>,
    pub(super) breaches: Vec<Excess>,
    pub(super) notes: Vec<String>,
}

/// One channel of it.
pub(super) struct ChannelReport {
    pub(super) channel: Channel,
    pub(super) folder: PathBuf,
    /// Every file that it should hold.
    pub(super) names: BTreeSet<String>,
    pub(super) versions: usize,
    pub(super) bytes: usize,
    pub(super) changed: Vec<Change>,
    /// Files of ours that no type makes any more.
    pub(super) removed: Vec<String>,
}

/// A file that is not what it should be.
pub(super) struct Change {
    pub(super) name: String,
    /// What it should say. With `--check` nobody needs it.
    pub(super) text: String,
    /// How it differs, with `--check`; `None`: it is missing.
    pub(super) difference: Option<Difference>,
}

impl ChannelReport {
    pub(super) fn has_changes(&self) -> bool {
        !self.changed.is_empty() || !self.removed.is_empty()
    }

    /// The line that everybody reads.
    fn line(&self, check: bool, session: &Session<'_>) -> String {
        let widest = CHANNELS.iter().map(|row| row.name.len()).max().unwrap_or_default();
        let changes = match (check, self.changed.len(), self.removed.len()) {
            (true, 0, 0) => "up to date".to_owned(),
            (true, changed, removed) => format!("{} stale", count(changed + removed, "file")),
            (false, 0, 0) => "nothing changed".to_owned(),
            (false, changed, 0) => format!("{} changed", count(changed, "file")),
            (false, 0, removed) => format!("{} removed", count(removed, "file")),
            (false, changed, removed) => {
                format!("{} changed, {} removed", count(changed, "file"), count(removed, "file"))
            }
        };
        format!(
            "{NAME}{:widest$}{NAME:#}  {}, {}, {}, {changes} → {}\n",
            self.channel.name(),
            count(self.names.len(), "CRD"),
            count(self.versions, "version"),
            count(self.bytes, "byte"),
            session.shown(&self.folder).display(),
        )
    }

    fn json(&self, check: bool, session: &Session<'_>) -> Value {
        json!({
            "channel": self.channel.name(),
            "folder": session.shown(&self.folder).to_string_lossy(),
            "crds": self.names.len(),
            "versions": self.versions,
            "bytes": self.bytes,
            "changed": self.changed.iter().map(|change| &*change.name).collect::<Vec<_>>(),
            "removed": self.removed,
            "stale": check && self.has_changes(),
        })
    }
}

impl Report {
    pub(super) fn has_changes(&self) -> bool {
        self.channels.iter().any(ChannelReport::has_changes)
    }

    fn print_breaches(&self, options: &Options, session: &mut Session<'_>) {
        if options.verbose || self.breaches.len() <= BREACHES {
            for breach in &self.breaches {
                session.note(breach_text(breach));
            }
            return;
        }
        let crds: BTreeSet<&str> = self.breaches.iter().map(|breach| &*breach.crd).collect();
        session.note(format_args!(
            "standard is not, or may not be, contained in experimental in {} of {}; `cargo xtask generate --check --verbose` lists them",
            count(self.breaches.len(), "place"),
            count(crds.len(), "CRD"),
        ));
    }

    pub(super) fn print(&self, options: &Options, session: &mut Session<'_>) {
        for note in &self.notes {
            session.note(note);
        }
        self.print_breaches(options, session);
        for channel in &self.channels {
            session.print(channel.line(options.check, session));
        }
        if !options.check || !self.has_changes() {
            return;
        }
        let mut stale = 0;
        for channel in &self.channels {
            stale += channel.changed.len() + channel.removed.len();
            for change in &channel.changed {
                let path = channel.folder.join(&change.name);
                let path = session.shown(&path);
                let text = match &change.difference {
                    Some(difference) => difference.render(path),
                    None => format!("{} is missing\n", path.display()),
                };
                session.print(format_args!("\n{text}"));
            }
            for name in &channel.removed {
                let path = channel.folder.join(name);
                let path = session.shown(&path).display().to_string();
                session.print(format_args!("\n{path} belongs to no type\n"));
            }
        }
        let stale = match stale {
            1 => "1 file is out of date".to_owned(),
            more => format!("{} are out of date", count(more, "file")),
        };
        let help = format!("run `{}`", options.updating_command());
        session.diagnostic(&Diagnostic::error("generate::stale", stale).help(help));
    }
}

/// How many breaches of containment are listed without being asked for. Some APIs have many on purpose.
const BREACHES: usize = 5;

fn breach_text(breach: &Excess) -> String {
    let version = breach.version.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
    let path = if breach.path.is_empty() { String::new() } else { format!(", {}", breach.path) };
    format!("containment: {}{version}{path}: {}", breach.crd, breach.message)
}

pub(super) fn document(result: &Result<Report, Vec<Diagnostic>>, options: &Options, session: &Session<'_>) -> Value {
    let (report, faults) = match result {
        Ok(report) => (Some(report), [].as_slice()),
        Err(faults) => (None, faults.as_slice()),
    };
    let channels = report.map(|report| &*report.channels).unwrap_or_default();
    let breaches = report.map(|report| &*report.breaches).unwrap_or_default();
    json!({
        "schemaVersion": json::SCHEMA_VERSION,
        "channels": channels.iter().map(|channel| channel.json(options.check, session)).collect::<Vec<_>>(),
        "containment": breaches.iter().map(|breach| json!({
            "crd": breach.crd,
            "version": breach.version,
            "path": breach.path,
            "message": breach.message,
        })).collect::<Vec<_>>(),
        "notes": report.map(|report| &*report.notes).unwrap_or_default(),
        "errors": faults.iter().map(|fault| session.json(fault)).collect::<Vec<_>>(),
    })
}
