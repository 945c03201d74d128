//! `graduate`: what is experimental, when it may graduate, and the edit that graduates it.
//!
//! Invariants: without `--write` nothing is written. An edit is only written if `check` accepts the types after it.

pub(crate) mod document;
mod edit;
mod past;

use std::path::PathBuf;

use clap::{ArgMatches, Command, value_parser};
use crd_bundle::Released;
use crd_diagnostics::{Diagnostic, both, json};
use crd_generate::{Catalogue, CodePart};
use crd_generator::command::generated_page::{CHECK, PAGE};
use crd_generator::exit::Exit;
use crd_generator::program::Program;
use crd_generator::root;
use crd_generator::session::Session;
use crd_generator::settings::types_of;
use crd_graduation::approval::FILE;
use crd_graduation::document::FILE_NAME;

use super::{Group, Outcome, Run, Subcommand};
use crate::arguments::{
    Format, VERBOSE, after_help, flag, format, format_argument, named_root, option, positional, root_argument, value,
    values,
};
use crate::graduation::{EVIDENCE, GraduationsOfTypes, ReadRecords};
use crate::types::{Types, check_parts};
use crate::{graduation_file, release_date};
use document::{GraduateDocument, table_line};

pub(super) const SUBCOMMAND: Subcommand = Subcommand {
    name: "graduate",
    about: "List what is experimental and when it may graduate, or graduate it",
    group: Group::Types,
    arguments,
    run: Run::WithDefaults(run),
};

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
             With the name of an element, print the edit that graduates it and what `check` would report then; `--write` changes the file of its type. Criteria that \
             are missing are a warning, and an error if the catalogue enforces them.\n\n\
             Conformance reports in `{EVIDENCE}` show which projects pass the tests of a feature; a type, field or value names its feature with \
             `+conformance:feature=NAME`. Approvals are lines of `{FILE}`:\n\n\
             \u{20} approvals:\n\
             \u{20} - {{name: things/spec.colour, who: '@alice', date: 2026-11-20, where: 'https://example.com/42'}}\n\n\
             `--write` without a name writes `bundles/unreleased/{}`, which is part of the next bundle. Its states are those on the newest release date.",
            FILE_NAME
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

/// Which elements are shown or graduate, and what is written.
struct Request {
    /// The names of elements, if the argument is there.
    elements: Option<Vec<String>>,
    writes: bool,
    is_check: bool,
    evidence: Option<PathBuf>,
    date: Option<Released>,
    is_past: bool,
    page: Option<PathBuf>,
    is_verbose: bool,
    root: Option<PathBuf>,
    format: Format,
}

impl From<&ArgMatches> for Request {
    fn from(matches: &ArgMatches) -> Self {
        Self {
            elements: matches.contains_id(ELEMENT).then(|| values(matches, ELEMENT)),
            writes: matches.get_flag(WRITE),
            is_check: matches.get_flag(CHECK),
            evidence: value(matches, EVIDENCE_OPTION),
            date: value(matches, DATE),
            is_past: matches.get_flag(PAST),
            page: value(matches, PAGE),
            is_verbose: matches.get_flag(VERBOSE),
            root: named_root(matches),
            format: format(matches),
        }
    }
}

fn run(catalogue: Option<&Catalogue>, matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let request = Request::from(matches);
    let result = graduate(catalogue, &request, session);
    if request.format != Format::Json {
        return result.map(|printed| printed.exit);
    }
    let errors = session.errors(&result);
    let Printed { exit, document } = result.unwrap_or(Printed { exit: Exit::Unusable, document: String::new() });
    session.print(match errors.is_empty() {
        true => document,
        false => json::line(&GraduateDocument { errors: &errors, ..GraduateDocument::default() }),
    });
    Ok(exit)
}

/// How a call ends, and its document for `--format json`. As text, it is printed already.
struct Printed {
    exit: Exit,
    document: String,
}

fn graduate(
    catalogue: Option<&Catalogue>,
    request: &Request,
    session: &mut Session<'_>,
) -> Result<Printed, Vec<Diagnostic>> {
    let catalogue = &types_of(catalogue, request.root.as_deref(), session)?;
    if request.elements.is_some() {
        check_parts(catalogue, "graduate", &[CodePart::Functions])?;
    }
    let root = root::locate(request.root.as_deref(), session)?;
    let types = Types::read(catalogue, catalogue.next_version(), session);
    let (types, records) = both(types, ReadRecords::read(&root, None, request.evidence.as_deref(), session))?;
    let graduations = GraduationsOfTypes::of(&types, records, &root);
    let is_text = request.format == Format::Text;
    if is_text {
        session.diagnostics(&graduations.warnings);
    }
    if request.is_past {
        return past::past(&graduations, request, session);
    }
    let writes_file = request.elements.is_none() && (request.writes || request.is_check);
    if writes_file {
        let table = graduations.table(graduations.graduations.newest_date());
        let exit = graduation_file::write(&table, &root, request.is_check, is_text, session)?;
        return Ok(Printed { exit, document: table_line(&table) });
    }
    let as_of = request.date.or_else(|| release_date::unreleased(&root, session));
    let table = graduations.table(as_of);
    let names = request.elements.as_deref().unwrap_or_default();
    if names.is_empty() {
        if is_text {
            let rows = table.rows.iter().collect::<Vec<_>>();
            session.print(crd_graduation::report(&table, &rows, request.is_verbose, session.width));
        }
        return Ok(Printed { exit: Exit::Fine, document: table_line(&table) });
    }
    let (exit, document) = edit::edit(&graduations, &table, names, &root, request, session)?;
    Ok(Printed { exit, document })
}
