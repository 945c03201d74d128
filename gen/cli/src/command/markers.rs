//! `markers`: every marker with what it takes and what it does, for people, for programs and as the reference page.
//!
//! Fed with the table of [`crd_grammar::table`]. Read by authors of types.
//!
//! Invariants: nothing is said about markers here; it all comes from the table.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use crd_grammar::page;
use crd_grammar::table::{ArgumentSpec, ArgumentsSpec, MarkerEntry, Meaning, entries};
use crd_grammar::value::ValueKind;
use crd_schema::Catalogue;
use serde_json::{Value, json};

use super::{Format, PROGRAM, Subcommand, examples, format, format_argument};
use crate::difference::Difference;
use crate::fault::Fault;
use crate::folder::{HeldFolder, refusal};
use crate::json;
use crate::layout::{HEADING, NAME, for_shell, wrapped};
use crate::session::{Exit, Session};
use crate::transaction::Transaction;

pub(super) const SUBCOMMAND: Subcommand = Subcommand { name: "markers", arguments, run };

fn arguments(command: Command) -> Command {
    command
        .about("Lists every marker: what it is called, where it may stand, what it takes and what it does")
        .arg(format_argument())
        .arg(
            Arg::new("page")
                .long("page")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .conflicts_with("format")
                .help("Writes the reference page (Markdown) to this file instead"),
        )
        .arg(
            Arg::new("check")
                .long("check")
                .action(ArgAction::SetTrue)
                .requires("page")
                .help("Writes nothing; exit code 3 if the page is stale"),
        )
        .after_help(examples(&[
            ("markers", "every marker, for reading"),
            ("markers --format json", "the same for programs"),
            ("markers --page MARKERS.md", "the reference page"),
            ("markers --page MARKERS.md --check", "whether the page is up to date, for CI"),
        ]))
}

fn run(_catalogue: &Catalogue, matches: &ArgMatches, session: &mut Session<'_>) -> Result<Exit, Vec<Fault>> {
    if let Some(path) = matches.get_one::<PathBuf>("page") {
        return write_page(path, matches.get_flag("check"), session).map_err(|fault| vec![fault]);
    }
    match format(matches) {
        Format::Json => session.print(json::line(&document())),
        Format::Text => session.print(list(session.columns())),
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
        "effect": spec.effect,
        "rust": spec.rust,
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
            // What the form for items does is said at the form for fields.
            if !items {
                if refused {
                    text.push_str(&wrapped(spec.rust, 4, width));
                } else {
                    let repeatable = if spec.repeatable { ", any number of times" } else { "" };
                    text.push_str(&wrapped(
                        &format!("On {}{repeatable}. {}", spec.targets.in_words(), spec.effect),
                        4,
                        width,
                    ));
                    text.push_str(&wrapped(spec.rust, 4, width));
                }
            }
        }
        text.push('\n');
    }
    text.push_str(&wrapped("`?` behind an argument: it may be left out. `+standard:` or `+experimental:` before a marker limits it to that channel.", 0, width));
    text
}

/// Writes the page, or says whether it is up to date.
fn write_page(path: &Path, check: bool, session: &mut Session<'_>) -> Result<Exit, Fault> {
    let target = session.folder().join(path);
    let folder = target.parent().unwrap_or(session.folder()).to_path_buf();
    let text = page::page();
    // No other run may write the page between the comparison and the renaming.
    let _held = match check {
        true => None,
        false if folder.is_dir() => Some(HeldFolder::hold(&folder, &folder, session)?),
        false => {
            return Err(Fault::file(
                target,
                "cannot be written: its folder is not there, or no folder. Make it, or choose another file",
            ));
        }
    };
    let old = match fs::symlink_metadata(&target) {
        Ok(metadata) if metadata.is_file() => {
            Some(fs::read(&target).map_err(|error| Fault::io(&target, "read", &error))?)
        }
        Ok(metadata) => return Err(Fault::file(target, refusal(metadata.file_type(), "file"))),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(Fault::io(&target, "read", &error)),
    };
    if old.as_deref() == Some(text.as_bytes()) {
        session.print(format_args!("{} is up to date\n", path.display()));
        return Ok(Exit::Fine);
    }
    if check {
        match old {
            None => session.print(format_args!("{} is missing\n", path.display())),
            Some(old) => session.print(Difference::between(&String::from_utf8_lossy(&old), &text).render(path)),
        }
        session.error(format_args!("the page is stale; `{PROGRAM} markers --page {}` mends that", for_shell(path)));
        return Ok(Exit::Stale);
    }
    let mut transaction = Transaction::default();
    transaction.write(target.clone(), &text)?;
    // A single file cannot be half done, so there is at most one fault.
    transaction
        .commit()
        .map_err(|faults| faults.into_iter().next().unwrap_or_else(|| Fault::file(target, "could not be replaced")))?;
    session.print(format_args!("{} is written\n", path.display()));
    Ok(Exit::Fine)
}
