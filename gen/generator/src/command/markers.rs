//! `markers`: every marker with its targets, arguments and effect, as text, JSON or the reference page.
//!
//! Invariants: all facts about markers come from the table.

use std::path::PathBuf;

use clap::{ArgMatches, Command};
use crd_markers::page;
use crd_markers::table::{ArgumentSpec, ArgumentsSpec, MarkerEntry, Meaning, entries};
use crd_markers::value::ValueKind;
use serde_json::{Value, json};

use super::generated_page::{self, CHECK, PAGE};
use super::{Group, Outcome, Run, Subcommand};
use crate::arguments::{Format, after_help, format, format_argument, value};
use crate::exit::Exit;
use crate::program::Program;
use crate::session::Session;
use crd_diagnostics::json;
use crd_diagnostics::layout::wrapped;
use crd_diagnostics::style::{HEADING, NAME};

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
        Format::Text => session.print(list(session.width)),
    }
    Ok(Exit::Fine)
}

fn document() -> Value {
    let markers: Vec<Value> = entries().iter().map(marker).collect();
    json!({"schemaVersion": json::SCHEMA_VERSION, "markers": markers})
}

fn marker(entry: &MarkerEntry) -> Value {
    let spec = entry.spec;
    // A value behind `=` is an argument without a name.
    let arguments: Vec<Value> = match spec.arguments {
        ArgumentsSpec::Flag => Vec::new(),
        ArgumentsSpec::Value(kind) => vec![argument("", kind, false)],
        ArgumentsSpec::Named(specs) => {
            specs.iter().map(|ArgumentSpec { name, kind, optional, .. }| argument(name, *kind, *optional)).collect()
        }
    };
    json!({
        "name": entry.name,
        "targets": spec.targets.names(),
        "arguments": arguments,
        "repeatable": spec.repeatable,
        "items": entry.items,
        "effect": spec.effect(),
        "rust": spec.rust(),
        "refused": is_refused(entry),
    })
}

fn argument(name: &str, kind: ValueKind, optional: bool) -> Value {
    let words: &[&str] = if let ValueKind::Word(words) = kind { words } else { &[] };
    json!({"name": name, "kind": kind.name(), "words": words, "optional": optional})
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
