//! `graduate`: what is experimental, when it may graduate, and the edit that graduates it.
//!
//! Invariants: without `--write` nothing is written. An edit is only written if `check` accepts the types after it.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, value_parser};
use crd_bundle::Released;
use crd_diagnostics::layout::count;
use crd_diagnostics::style::NAME;
use crd_diagnostics::{Diagnostic, all, json};
use crd_generate::Catalogue;
use crd_graduation::{Row, Table, document};
use serde_json::{Value, json};

use super::generated_page::{CHECK, PAGE, Pages};
use super::{Outcome, Run, Subcommand};
use crate::arguments::{Format, VERBOSE, after_help, explicit_root, flag, format, format_argument, root_argument};
use crate::exit::Exit;
use crate::graduation::{APPROVALS, EVIDENCE, Graduations};
use crate::marker_edit::{self, Edit};
use crate::program::Program;
use crate::session::Session;
use crate::{graduation_file, release_date, root};

pub(super) const SUBCOMMAND: Subcommand = Subcommand { name: "graduate", arguments, run: Run::WithTypes(run) };

const ELEMENT: &str = "element";
const EVIDENCE_OPTION: &str = "evidence";
const DATE: &str = "date";
const PAST: &str = "past";
const WRITE: &str = "write";

fn arguments(command: Command, program: Program) -> Command {
    command
        .long_about(format!(
            "List everything that only experimental has: since which bundle, since when unchanged, which criteria of graduation are met, and in which bundle it \
             may graduate at the earliest. A change counts if `diff` would require more than a minor bundle for it in standard; texts never count.\n\n\
             With the name of an element, print the edit that graduates it and what `check` would report then; `--write` changes the Rust file.\n\n\
             Conformance reports in `{EVIDENCE}` show which projects pass the tests of a feature; a type, field or value names its feature with \
             `+conformance:feature=NAME`. Approvals are lines of `{APPROVALS}`:\n\n\
             \u{20} approvals:\n\
             \u{20} - {{name: things/spec.colour, who: '@alice', date: 2026-11-20, where: 'https://example.com/42'}}\n\n\
             `--write` without a name writes `bundles/unreleased/{}`, which is part of the next bundle. Its states are those on the newest release date.",
            document::FILE_NAME
        ))
        .arg(
            Arg::new(ELEMENT)
                .value_name("ELEMENT")
                .num_args(0..)
                .help("The names of elements that graduate together, as the table prints them, or their ends: `spec.rules.retry`"),
        )
        .arg(flag(WRITE, "Write the edit, or without an element the file of the bundle"))
        .arg(flag(CHECK, "Write nothing; exit with 3 if the file of the bundle, or the page, is out of date").conflicts_with_all([WRITE, ELEMENT]))
        .arg(
            Arg::new(EVIDENCE_OPTION)
                .long(EVIDENCE_OPTION)
                .value_name("PATH")
                .value_parser(value_parser!(PathBuf))
                .help("Conformance reports: a file (YAML, or JSON lines) or a folder [default: bundles/evidence, if it exists]"),
        )
        .arg(
            Arg::new(DATE)
                .long(DATE)
                .value_name("DATE")
                .value_parser(|text: &str| text.parse::<Released>())
                .help("The date of the states, such as 2026-11-21 [default: SOURCE_DATE_EPOCH, else the last commit]"),
        )
        .arg(flag(PAST, "List the graduations of past releases, and whether they were on time").conflicts_with_all([ELEMENT, WRITE, DATE]))
        .arg(
            Arg::new(PAGE)
                .long(PAGE)
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .requires(PAST)
                .help("Write the page about past graduations (Markdown) to this file"),
        )
        .arg(flag(VERBOSE, "Print all facts about each element").short('v'))
        .arg(root_argument())
        .arg(format_argument())
        .after_help(after_help(program, &[Exit::Fine, Exit::Findings, Exit::Unusable, Exit::Stale], &[
            ("graduate", "everything that only experimental has"),
            ("graduate spec.rules.retry", "one element, the edit, and what `check` would report"),
            ("graduate spec.rules.retry --write", "delete its marker"),
            ("graduate spec.colour spec:rule-3f23e50c", "a field, and a rule that names it, together"),
            ("graduate --write", "write the file of the next bundle"),
            ("graduate --evidence reports/ --verbose", "with other conformance reports, and all facts"),
            ("graduate --past", "the graduations of past releases"),
        ]))
}

fn run(catalogue: &Catalogue, matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let result = graduate(catalogue, matches, session);
    if format(matches) != Format::Json {
        return result.map(|printed| printed.exit);
    }
    let errors = session.json_errors(&result);
    let (exit, mut text) = match result {
        Ok(Printed { exit, document }) => (exit, document),
        Err(_) => (Exit::Unusable, json!({})),
    };
    if let Value::Object(map) = &mut text {
        map.insert("schemaVersion".to_owned(), json!(json::SCHEMA_VERSION));
        map.insert("errors".to_owned(), json!(errors));
    }
    session.print(json::line(&text));
    Ok(exit)
}

/// How a call ends, and its document for `--format json`. As text, it is printed already.
struct Printed {
    exit: Exit,
    document: Value,
}

fn graduate(
    catalogue: &Catalogue,
    matches: &ArgMatches,
    session: &mut Session<'_>,
) -> Result<Printed, Vec<Diagnostic>> {
    let root = root::locate(explicit_root(matches), session)?;
    let evidence = matches.get_one::<PathBuf>(EVIDENCE_OPTION).map(PathBuf::as_path);
    let graduations = Graduations::read(catalogue, &root, evidence, session)?;
    let is_text = format(matches) == Format::Text;
    if is_text {
        session.diagnostics(&graduations.warnings);
    }
    if matches.get_flag(PAST) {
        return past(catalogue, &graduations, matches, session);
    }
    let writes_file = !matches.contains_id(ELEMENT) && (matches.get_flag(WRITE) || matches.get_flag(CHECK));
    if writes_file {
        let table = graduations.table(catalogue, graduations.newest_date());
        let exit = graduation_file::write(&table, &root, matches.get_flag(CHECK), is_text, session)?;
        return Ok(Printed { exit, document: document::document(&table) });
    }
    let as_of = matches.get_one::<Released>(DATE).copied().or_else(|| release_date::unreleased(&root, session));
    let table = graduations.table(catalogue, as_of);
    let names = matches.get_many::<String>(ELEMENT).into_iter().flatten().collect::<Vec<_>>();
    if names.is_empty() {
        if is_text {
            let rows = table.rows.iter().collect::<Vec<_>>();
            session.print(crd_graduation::report(&table, &rows, matches.get_flag(VERBOSE), session.width));
        }
        return Ok(Printed { exit: Exit::Fine, document: document::document(&table) });
    }
    let rows = all(names.into_iter().map(|name| chosen(&table, name).map_err(|error| vec![error])))?;
    let edit = marker_edit::edit(catalogue, &graduations, &table, &rows, &root, session)?;
    let exit = if edit.is_accepted() { Exit::Fine } else { Exit::Findings };
    let is_written = matches.get_flag(WRITE) && edit.is_accepted();
    if is_text {
        print(&rows, &edit, matches, session);
    }
    if is_written {
        edit.write()?;
    }
    if is_text && matches.get_flag(WRITE) {
        let files = edit.files().collect::<Vec<_>>().join(", ");
        let call = session.program.call();
        match is_written {
            true => session.print(format_args!(
                "Changed {files}. Now run `{call} generate`; the version of the next bundle is {}.\n",
                graduations.bundle
            )),
            false => session.print("Nothing was written, because `check` would refuse the types.\n"),
        }
    }
    let mut text = document::document(&Table { rows: rows.into_iter().cloned().collect(), ..table.clone() });
    if let Value::Object(map) = &mut text {
        map.insert("edit".to_owned(), edit.document(is_written, session));
    }
    Ok(Printed { exit, document: text })
}

/// Prints elements and their edit.
fn print(rows: &[&Row], edit: &Edit, matches: &ArgMatches, session: &mut Session<'_>) {
    rows.iter().for_each(|row| session.print(crd_graduation::details(row, session.width)));
    session.print(edit.difference());
    let is_other = |name: &&String| rows.iter().all(|row| row.element.to_string() != **name);
    let others = edit.elements.iter().filter(is_other).collect::<Vec<_>>();
    if !others.is_empty() {
        session.print(format_args!("{} with these markers:\n", count(others.len(), "other element")));
        others.iter().for_each(|other| session.print(format_args!("  {NAME}{other}{NAME:#}\n")));
        session.print("\n");
    }
    session.print(edit.report(matches.get_flag(VERBOSE), session));
}

/// The row with a name: the whole name, or else its only row with this end.
fn chosen<'t>(table: &'t Table, name: &str) -> Result<&'t Row, Diagnostic> {
    let plain = name.replace("[*]", "").replace("[]", "");
    let exact = |row: &&Row| row.element.to_string() == plain;
    if let Some(row) = table.rows.iter().find(exact) {
        return Ok(row);
    }
    let has_end = |row: &&Row| {
        let name = row.element.to_string();
        name.strip_suffix(&plain).is_some_and(|rest| rest.ends_with(['/', '.', '=', '@', ':']))
    };
    let found = table.rows.iter().filter(has_end).collect::<Vec<_>>();
    match found[..] {
        // The elements of one marker graduate together.
        [row, ref others @ ..] if others.iter().all(|other| row.source.is_some() && other.source == row.source) => {
            Ok(row)
        }
        [] => {
            let names = table.rows.iter().map(|row| row.element.to_string()).collect::<Vec<_>>();
            let error =
                Diagnostic::error("graduate::unknown", format!("`{name}` is not the name of an experimental element"));
            let all = "`graduate` lists all names".to_owned();
            Err(error.help(crate::arguments::did_you_mean(&plain, names.iter().map(String::as_str), all)))
        }
        _ => {
            let names = found.iter().map(|row| format!("`{}`", row.element)).collect::<Vec<_>>().join(", ");
            let error = Diagnostic::error(
                "graduate::ambiguous",
                format!("{} end with `{name}`", count(found.len(), "element")),
            );
            Err(error.help(format!("write the whole name: {names}")))
        }
    }
}

fn past(
    catalogue: &Catalogue,
    graduations: &Graduations,
    matches: &ArgMatches,
    session: &mut Session<'_>,
) -> Result<Printed, Vec<Diagnostic>> {
    let past = graduations.past(catalogue);
    let document = json!({ "graduations": document::past(&past) });
    let call = session.program.call();
    let again = |path: &str| format!("{call} graduate --past --page {path}");
    let path = matches.get_one::<PathBuf>(PAGE);
    let shown = path.map_or_else(|| "FILE".to_owned(), |path| path.display().to_string());
    let text = crd_graduation::page(catalogue.name(), catalogue.graduation_criteria(), &past, &again(&shown));
    let exit = match path {
        Some(path) => {
            let pages = Pages {
                pages: vec![(path.clone(), text)],
                folder: None,
                mark: format!("Written by `{call} graduate --past --page"),
                command: format!("{call} graduate --past --page"),
                again: again(&shown),
            };
            pages.write(matches.get_flag(CHECK), session)?
        }
        None => {
            if format(matches) == Format::Text {
                session.print(text);
            }
            Exit::Fine
        }
    };
    Ok(Printed { exit, document })
}
