//! `graduate`: what is experimental, when it may graduate, and the edit that graduates it.
//!
//! Invariants: without `--write` nothing is written. An edit is only written if `check` accepts the types after it.

mod edit;

use std::path::PathBuf;

use clap::{ArgMatches, Command, value_parser};
use crd_bundle::Released;
use crd_diagnostics::{Diagnostic, both, json};
use crd_generate::Catalogue;
use crd_graduation::document;
use serde_json::{Value, json};

use super::generated_page::{self, CHECK, PAGE};
use super::{Outcome, Run, Subcommand};
use crate::arguments::{
    Format, VERBOSE, after_help, explicit_root, flag, format, format_argument, option, positional, root_argument,
};
use crate::exit::Exit;
use crate::graduation::{APPROVALS, EVIDENCE, Graduations, Records};
use crate::program::Program;
use crate::session::Session;
use crate::settings::with_settings;
use crate::types::Types;
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
             With the name of an element, print the edit that graduates it and what `check` would report then; `--write` changes the Rust file. Criteria that \
             are missing are a warning, and an error if the catalogue enforces them.\n\n\
             Conformance reports in `{EVIDENCE}` show which projects pass the tests of a feature; a type, field or value names its feature with \
             `+conformance:feature=NAME`. Approvals are lines of `{APPROVALS}`:\n\n\
             \u{20} approvals:\n\
             \u{20} - {{name: things/spec.colour, who: '@alice', date: 2026-11-20, where: 'https://example.com/42'}}\n\n\
             `--write` without a name writes `bundles/unreleased/{}`, which is part of the next bundle. Its states are those on the newest release date.",
            document::FILE_NAME
        ))
        .arg(
            positional(ELEMENT, "ELEMENT", "The names of elements that graduate together, as the table prints them, or their ends: `spec.defaultScope`")
                .num_args(0..),
        )
        .arg(flag(WRITE, "Write the edit, or without an element the file of the bundle"))
        .arg(flag(CHECK, "Write nothing; exit with 3 if the file of the bundle, or the page, is out of date").conflicts_with_all([WRITE, ELEMENT]))
        .arg(
            option(EVIDENCE_OPTION, "PATH", "Conformance reports: a file (YAML, or JSON lines) or a folder [default: bundles/evidence, if it exists]")
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(
            option(DATE, "DATE", "The date of the states, such as 2026-11-21 [default: SOURCE_DATE_EPOCH, else the last commit]")
                .value_parser(|text: &str| text.parse::<Released>()),
        )
        .arg(flag(PAST, "List the graduations of past releases, and whether they were on time").conflicts_with_all([ELEMENT, WRITE, DATE]))
        .arg(
            option(PAGE, "FILE", "Write the page about past graduations (Markdown) to this file")
                .value_parser(value_parser!(PathBuf))
                .requires(PAST),
        )
        .arg(flag(VERBOSE, "Print all facts about each element").short('v'))
        .arg(root_argument())
        .arg(format_argument())
        .after_help(after_help(program, &[Exit::Fine, Exit::Findings, Exit::Unusable, Exit::Stale], &[
            ("graduate", "everything that only experimental has"),
            ("graduate gateways/spec.defaultScope", "one element, the edit, and what `check` would report"),
            ("graduate gateways/spec.defaultScope --write", "delete its marker"),
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
    let catalogue = &with_settings(catalogue, explicit_root(matches), session)?;
    let root = root::locate(explicit_root(matches), session)?;
    let evidence = matches.get_one::<PathBuf>(EVIDENCE_OPTION).map(PathBuf::as_path);
    let types = Types::read(catalogue, catalogue.next_version(), session);
    let (types, records) = both(types, Records::read(&root, None, evidence, session))?;
    let graduations = Graduations::of(&types, records, &root);
    let is_text = format(matches) == Format::Text;
    if is_text {
        session.diagnostics(&graduations.warnings);
    }
    if matches.get_flag(PAST) {
        return past(&graduations, matches, session);
    }
    let writes_file = !matches.contains_id(ELEMENT) && (matches.get_flag(WRITE) || matches.get_flag(CHECK));
    if writes_file {
        let table = graduations.table(graduations.newest_date());
        let exit = graduation_file::write(&table, &root, matches.get_flag(CHECK), is_text, session)?;
        return Ok(Printed { exit, document: document::document(&table) });
    }
    let as_of = matches.get_one::<Released>(DATE).copied().or_else(|| release_date::unreleased(&root, session));
    let table = graduations.table(as_of);
    let names = matches.get_many::<String>(ELEMENT).into_iter().flatten().collect::<Vec<_>>();
    if names.is_empty() {
        if is_text {
            let rows = table.rows.iter().collect::<Vec<_>>();
            session.print(crd_graduation::report(&table, &rows, matches.get_flag(VERBOSE), session.width));
        }
        return Ok(Printed { exit: Exit::Fine, document: document::document(&table) });
    }
    let (exit, document) = edit::edit(&graduations, &table, names, &root, matches, session)?;
    Ok(Printed { exit, document })
}

fn past(
    graduations: &Graduations<'_>,
    matches: &ArgMatches,
    session: &mut Session<'_>,
) -> Result<Printed, Vec<Diagnostic>> {
    let past = graduations.past();
    let document = json!({ "graduations": document::past(&past) });
    let call = session.program.call();
    let path = matches.get_one::<PathBuf>(PAGE);
    let again = format!("{call} graduate --past --page {}", path.map_or("FILE".into(), |path| path.to_string_lossy()));
    let settings = graduations.types.catalogue.settings();
    let text = crd_graduation::page(settings.name(), &settings.graduation, &past, &again);
    let exit = match path {
        Some(path) => generated_page::write("graduate --past", path, &text, matches.get_flag(CHECK), session)?,
        None => {
            if format(matches) == Format::Text {
                session.print(text);
            }
            Exit::Fine
        }
    };
    Ok(Printed { exit, document })
}
