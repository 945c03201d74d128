//! `markers`: every marker with its targets, arguments and effect, as text, JSON or the reference page.
//!
//! Invariants: all facts about markers come from the table.

use std::path::PathBuf;

use clap::{ArgMatches, Command};
use crd_markers::page;
use crd_markers::table::{ArgumentSpec, ArgumentsSpec, MarkerEntry, Meaning, entries};
use crd_markers::value::ValueKind;
use serde::Serialize;

use super::generated_page::{self, CHECK, PAGE};
use super::{Group, Outcome, Run, Subcommand};
use crate::arguments::{Format, after_help, format, format_argument, value};
use crate::exit::Exit;
use crate::program::Program;
use crate::session::Session;
use crd_diagnostics::json;
use crd_diagnostics::layout::wrapped;
use crd_diagnostics::style::{HEADING, NAME};
use crd_model::document::SchemaVersion;

pub(super) const SUBCOMMAND: Subcommand = Subcommand {
    name: "markers",
    about: "List every marker with its targets, arguments and effect",
    group: Group::Reference,
    arguments,
    run: Run::WithoutTypes(run),
};

fn arguments(command: Command, program: Program) -> Command {
    command.arg(format_argument()).args(generated_page::arguments()).after_help(after_help(
        program,
        &[Exit::Fine, Exit::Unusable, Exit::Stale],
        &[
            ("markers", "every marker"),
            ("markers --format json", "as JSON"),
            ("markers --page MARKERS.md", "the reference page"),
            ("markers --page MARKERS.md --check", "in CI: check that the page is up to date"),
        ],
    ))
}

/// Where the markers are listed.
struct Request {
    page: Option<PathBuf>,
    is_check: bool,
    format: Format,
}

impl From<&ArgMatches> for Request {
    fn from(matches: &ArgMatches) -> Self {
        Self { page: value(matches, PAGE), is_check: matches.get_flag(CHECK), format: format(matches) }
    }
}

fn run(matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let Request { page, is_check, format } = Request::from(matches);
    if let Some(path) = page {
        return generated_page::write("markers", &path, &page::page(), is_check, session);
    }
    match format {
        Format::Json => session.print(json::line(&document())),
        _ => session.print(list(session.width)),
    }
    Ok(Exit::Fine)
}

/// What `markers` prints with `--format json`: one document, on one line.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Markers {
    schema_version: SchemaVersion<1>,
    /// Every marker.
    markers: Vec<Marker>,
}

/// A marker.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Marker {
    /// Its name.
    name: String,
    /// Where it can be written.
    targets: Vec<&'static str>,
    /// Its arguments.
    arguments: Vec<Argument>,
    /// Whether it can be repeated.
    repeatable: bool,
    /// Whether it is the form for the items of a list.
    items: bool,
    /// What it does.
    effect: &'static str,
    /// What Rust has instead.
    rust: &'static str,
    /// Whether it is a marker of Go that is refused.
    refused: bool,
}

/// An argument of a marker.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Argument {
    /// Its name; empty for a value behind `=`.
    name: &'static str,
    /// The kind of its value.
    kind: &'static str,
    /// The words that it can be.
    words: &'static [&'static str],
    /// Whether it may be left out.
    optional: bool,
}

fn document() -> Markers {
    Markers { schema_version: SchemaVersion, markers: entries().iter().map(marker).collect() }
}

fn marker(entry: &MarkerEntry) -> Marker {
    let spec = entry.spec;
    // A value behind `=` is an argument without a name.
    let arguments = match spec.arguments {
        ArgumentsSpec::Flag => Vec::new(),
        ArgumentsSpec::Value(kind) => vec![argument("", kind, false)],
        ArgumentsSpec::Named(specs) => {
            specs.iter().map(|ArgumentSpec { name, kind, optional, .. }| argument(name, *kind, *optional)).collect()
        }
    };
    Marker {
        name: entry.name.clone(),
        targets: spec.targets.names(),
        arguments,
        repeatable: spec.repeatable,
        items: entry.items,
        effect: spec.effect(),
        rust: spec.rust(),
        refused: is_refused(entry),
    }
}

fn argument(name: &'static str, kind: ValueKind, optional: bool) -> Argument {
    let words: &[&str] = if let ValueKind::Word(words) = kind { words } else { &[] };
    Argument { name, kind: kind.name(), words, optional }
}

fn is_refused(entry: &MarkerEntry) -> bool {
    matches!(entry.spec.meaning, Meaning::Refused(_))
}

fn list(width: usize) -> String {
    let mut text = String::new();
    for (title, items, refused) in [
        ("Markers", false, false),
        ("The same for the items of a list", true, false),
        ("Markers of Go that are refused", false, true),
    ] {
        text.push_str(&format!("{HEADING}{title}{HEADING:#}\n\n"));
        for entry in entries().iter().filter(|entry| entry.items == items && is_refused(entry) == refused) {
            let spec = entry.spec;
            text.push_str(&format!("{NAME}+{}{NAME:#}{}\n", entry.name, page::arguments(spec)));
            // The form for fields describes the form for items.
            if !items {
                if refused {
                    text.push_str(&wrapped(spec.rust(), 4, width));
                } else {
                    let repeatable = if spec.repeatable { ", any number of times" } else { "" };
                    text.push_str(&wrapped(
                        &format!("On {}{repeatable}. {}", spec.targets.in_words(), spec.effect()),
                        4,
                        width,
                    ));
                    text.push_str(&wrapped(spec.rust(), 4, width));
                }
            }
        }
        text.push('\n');
    }
    text.push_str(&wrapped("`?` behind an argument: it may be left out. `+standard:` or `+experimental:` before a marker limits it to that channel.", 0, width));
    text
}
