//! `schema`: the JSON schemas of what the program prints and reads.

use clap::{ArgMatches, Command};
use crd_diagnostics::style::NAME;
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

/// The documents: the name of each, what it is, and its schema.
pub(crate) const SCHEMAS: [(&str, &str, &str); 17] = [
    ("conversion", "`convert --format json`", include_str!("../../schemas/conversion.json")),
    ("findings", "`check`, `diff`, `gate` and `release --format json`", include_str!("../../schemas/findings.json")),
    (
        "graduation",
        "`graduate --format json`, and `graduation.json` of a release",
        include_str!("../../schemas/graduation.json"),
    ),
    ("history", "`history --format json`", include_str!("../../schemas/history.json")),
    ("history-archive", "the index of a history archive", include_str!("../../schemas/history-archive.json")),
    ("inspection", "`inspect --format json`", include_str!("../../schemas/inspection.json")),
    ("lint", "`lint --format json`", include_str!("../../schemas/lint.json")),
    ("migration", "`migrate --format json`", include_str!("../../schemas/migration.json")),
    ("push", "`push --format json`", include_str!("../../schemas/push.json")),
    ("skew", "`skew --format json`", include_str!("../../schemas/skew.json")),
    ("suites", "`test --format json`", include_str!("../../schemas/suites.json")),
    ("validation", "`validate --format json`", include_str!("../../schemas/validation.json")),
    ("verification", "`verify --format json`", include_str!("../../schemas/verification.json")),
    ("settings", "the settings, `crd-channels.yaml`", crd_generate::settings::SCHEMA),
    ("suite", "a suite for `test`", crd_suite::file::SCHEMA),
    ("suite-openshift", "a suite as OpenShift writes it", crd_suite::openshift::SCHEMA),
    ("conversions", "`conversions.json` of a release", crd_convert::SCHEMA),
];

fn arguments(command: Command, program: Program) -> Command {
    command
        .arg(
            positional(DOCUMENT, "NAME", "The document [default: list all]")
                .value_parser(SCHEMAS.map(|(name, _, _)| name)),
        )
        .after_help(after_help(
            program,
            &[Exit::Fine, Exit::Unusable],
            &[
                ("schema", "every document that has a schema"),
                ("schema findings > findings.schema.json", "the schema of `diff --format json`"),
            ],
        ))
}

/// The document whose schema is printed; none to list all.
struct Request(Option<String>);

impl From<&ArgMatches> for Request {
    fn from(matches: &ArgMatches) -> Self {
        Self(value(matches, DOCUMENT))
    }
}

fn run(matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let Request(named) = Request::from(matches);
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
