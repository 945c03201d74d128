//! The report of `generate` as text.
//!
//! Invariants: results go to stdout, notes and errors to stderr.

use std::collections::BTreeSet;
use std::path::Path;

use crd_diagnostics::Diagnostic;
use crd_diagnostics::layout::{are, count, first_of_each, for_shell, not_shown};
use crd_diagnostics::style::NAME;
use crd_inclusion::Excess;
use crd_model::channel::CHANNELS;

use super::costs;
use crate::generated_tree::Change;
use crate::generation::{GeneratedChannel, Generation, Options};
use crate::session::Session;

/// How many breaches of containment are listed without `--verbose`. Some APIs have many on purpose.
const BREACHES: usize = 5;

pub(super) fn print(generation: &Generation, options: &Options, verbose: bool, session: &mut Session<'_>) {
    session.notes(&generation.notes);
    session.diagnostics(&generation.warnings);
    print_breaches(&generation.breaches, verbose, session);
    for channel in &generation.channels {
        session.print(summary(channel, options.check, session));
    }
    for (path, change) in generation.documents.iter().filter(|_| !options.check) {
        let name = change.name.trim_end_matches(".json");
        let line = format!("{NAME}{name}{NAME:#}  changed → {}\n", session.shown(path).display());
        session.print(line);
    }
    if let Some(go) = &generation.go {
        let changes = changes(options.check, go.changed.len(), go.removed.len());
        let files = count(go.files, "file");
        session.print(format_args!("{NAME}go{NAME:#}  {files}, {changes} → {}\n", session.shown(&go.folder).display()));
    }
    costs::print(&generation.costs, session);
    if !options.check || !generation.has_changes() {
        return;
    }
    let mut stale = Vec::new();
    let difference = |path: &Path, change: &Change| match &change.difference {
        Some(difference) => difference.render(session.shown(path)),
        None => format!("{} is missing\n", session.shown(path).display()),
    };
    stale.extend(generation.documents.iter().map(|(path, change)| difference(path, change)));
    let channels = generation.channels.iter().map(|channel| (&channel.folder, &channel.changed, &channel.removed));
    let go = generation.go.iter().map(|go| (&go.folder, &go.changed, &go.removed));
    for (folder, changed, removed) in channels.chain(go) {
        stale.extend(changed.iter().map(|change| difference(&folder.join(&change.name), change)));
        let without_type = |name| format!("{} belongs to no type\n", session.shown(&folder.join(name)).display());
        stale.extend(removed.keys().map(without_type));
    }
    let number = stale.len();
    let (first, more) = first_of_each(stale, |_| ());
    let more = more.into_values().map(|number| format!("{}\n", not_shown(number, "file", "`--format json`")));
    for text in first.into_iter().chain(more) {
        session.print(format_args!("\n{text}"));
    }
    let stale = format!("{} out of date", are(number, "file"));
    let help = format!("run `{}`", updating_command(options));
    session.diagnostic(&Diagnostic::error("generate::stale", stale).help(help));
}

/// The command that writes the checked files.
fn updating_command(options: &Options) -> String {
    let mut command = "cargo xtask generate".to_owned();
    if options.compiled {
        command.push_str(" --compiled");
    }
    if let Some(channel) = options.channel {
        command.push_str(&format!(" --channel {channel}"));
    }
    for (name, path) in [("--out", &options.out), ("--root", &options.root)] {
        if let Some(path) = path {
            command.push_str(&format!(" {name} {}", for_shell(path)));
        }
    }
    command
}

fn print_breaches(breaches: &[Excess], verbose: bool, session: &mut Session<'_>) {
    if !verbose && breaches.len() > BREACHES {
        let crds: BTreeSet<&str> = breaches.iter().map(|breach| &*breach.crd).collect();
        session.note(format_args!(
            "standard is not, or may not be, contained in experimental in {} of {}; `cargo xtask generate --check --verbose` lists them",
            count(breaches.len(), "place"),
            count(crds.len(), "CRD"),
        ));
        return;
    }
    for Excess { crd, version, path, message, .. } in breaches {
        let version = version.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
        let path = if path.is_empty() { String::new() } else { format!(", {path}") };
        session.note(format_args!("containment: {crd}{version}{path}: {message}"));
    }
}

/// The line of a channel.
fn summary(channel: &GeneratedChannel, check: bool, session: &Session<'_>) -> String {
    let widest = CHANNELS.iter().map(|row| row.name.len()).max().unwrap_or_default();
    let changes = changes(check, channel.changed.len(), channel.removed.len());
    format!(
        "{NAME}{:widest$}{NAME:#}  {}, {}, {}, {changes} → {}\n",
        channel.channel.name(),
        count(channel.names.len(), "CRD"),
        count(channel.versions, "version"),
        count(channel.bytes, "byte"),
        session.shown(&channel.folder).display(),
    )
}

fn changes(check: bool, changed: usize, removed: usize) -> String {
    match (check, changed, removed) {
        (true, 0, 0) => "up to date".to_owned(),
        (true, changed, removed) => format!("{} stale", count(changed + removed, "file")),
        (false, 0, 0) => "nothing changed".to_owned(),
        (false, changed, 0) => format!("{} changed", count(changed, "file")),
        (false, 0, removed) => format!("{} removed", count(removed, "file")),
        (false, changed, removed) => format!("{} changed, {} removed", count(changed, "file"), count(removed, "file")),
    }
}
