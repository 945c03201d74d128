//! `schema`: the JSON schemas of what the program prints and reads.

#[cfg(test)]
mod tests;

use std::path::PathBuf;

use clap::{ArgMatches, Command};
use crd_diagnostics::style::NAME;
use crd_generator::command::generated_page::{self, CHECK, PAGE};
use crd_generator::exit::Exit;
use crd_generator::program::Program;
use crd_generator::session::Session;

use super::{Group, Outcome, Run, Subcommand};
use crate::arguments::{after_help, positional, value};

pub(super) const SUBCOMMAND: Subcommand = Subcommand {
    name: "schema",
    about: "Print the JSON schema of an output or a file",
    group: Group::Reference,
    arguments,
    run: Run::WithoutTypes(run),
};

const DOCUMENT: &str = "name";

/// The name of a document, what it is, and its schema, in `schemas`.
macro_rules! document {
    ($name:literal, $about:literal) => {
        ($name, $about, include_str!(concat!("../../schemas/", $name, ".json")))
    };
}

pub(crate) const SCHEMAS: [(&str, &str, &str); 35] = [
    document!("bindings", "`bindings --format json`"),
    document!("conversion", "`convert --format json`"),
    document!("docs", "`docs --format json`"),
    document!("features", "`features.json` of a release"),
    document!("findings", "`check`, `diff` and `gate --format json`"),
    document!("fit", "`fit --format json`"),
    document!("generation", "`generate --format json`"),
    document!("graduation", "`graduate --format json`, and `graduation.json` of a release"),
    document!("history", "`history --format json`"),
    document!("history-archive", "the index of a history archive"),
    document!("import", "`import --format json`"),
    document!("init", "`init --format json`"),
    document!("inspection", "`inspect --format json`"),
    document!("lenses", "`conversions --format json`"),
    document!("lint", "`lint --format json`"),
    document!("markers", "`markers --format json`"),
    document!("migration", "`migrate --format json`"),
    document!("new", "`new --format json`"),
    document!("push", "`push --format json`"),
    document!("release", "`release --format json`"),
    document!("rules", "`rules --format json`"),
    document!("serving", "`migrate --serve` and `--unserve --format json`"),
    document!("skew", "`skew --format json`"),
    document!("suites", "`test --format json`"),
    document!("tombstones", "`tombstones --format json`"),
    document!("upgrade", "`upgrade --format json`"),
    document!("validation", "`validate --format json`"),
    document!("verification", "`verify --format json`"),
    ("settings", "the settings, `crd-channels.yaml`", crd_generate::settings::SCHEMA),
    ("marks", "a file of marks, `channels.yaml`", crd_generate::written::marks::SCHEMA),
    ("suite", "a suite for `test`", crd_suite::file::SCHEMA),
    ("suite-openshift", "a suite as OpenShift writes it", crd_suite::openshift::SCHEMA),
    ("client", "a client for `skew`, `client.yaml`", crd_stamps::skew::client::SCHEMA),
    ("conversions", "`conversions.json` of a release", crd_convert::SCHEMA),
    ("conversion-data", "the annotation with what a conversion keeps", crd_convert::DATA_SCHEMA),
];

fn arguments(command: Command, program: Program) -> Command {
    command
        .arg(
            positional(DOCUMENT, "NAME", "The document [default: list all]")
                .value_parser(SCHEMAS.map(|(name, _, _)| name))
                .conflicts_with(PAGE),
        )
        .args(generated_page::page_arguments())
        .after_help(after_help(
            program,
            &[Exit::Fine, Exit::Unusable, Exit::Stale],
            &[
                ("schema", "every document that has a schema"),
                ("schema findings > findings.schema.json", "the schema of `diff --format json`"),
                ("schema --page OUTPUTS.md", "the reference page: what may change in outputs"),
            ],
        ))
}

/// The document whose schema is printed; none to list all. Or the page.
struct Request {
    named: Option<String>,
    page: Option<PathBuf>,
    is_check: bool,
}

impl From<&ArgMatches> for Request {
    fn from(matches: &ArgMatches) -> Self {
        Self { named: value(matches, DOCUMENT), page: value(matches, PAGE), is_check: matches.get_flag(CHECK) }
    }
}

fn run(matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let Request { named, page, is_check } = Request::from(matches);
    if let Some(path) = page {
        return generated_page::write("schema", &path, &self::page(), is_check, session);
    }
    let width = SCHEMAS.iter().map(|(name, _, _)| name.len()).max().unwrap_or_default();
    for (name, document, schema) in SCHEMAS {
        match &named {
            None => session.print(format_args!("{NAME}{name:<width$}{NAME:#}  {document}\n")),
            Some(named) if named == name => session.print(schema),
            Some(_) => {}
        }
    }
    Ok(Exit::Fine)
}

/// The page about outputs, with the list of documents.
fn page() -> String {
    let rows = SCHEMAS.map(|(name, document, _)| format!("| `{name}` | {document} |\n"));
    include_str!("schema/outputs.md").replace("{documents}", &rows.concat())
}
