//! `settings`: every key of `crd-channels.yaml`, as text, as the JSON schema for editors, or as the reference page.

use std::path::PathBuf;

use clap::{ArgMatches, Command};
use crd_diagnostics::layout::wrapped;
use crd_diagnostics::style::NAME;
use crd_generate::settings::{SCHEMA, page, rows};
use crd_generator::command::generated_page::{self, CHECK, PAGE};
use crd_generator::exit::Exit;
use crd_generator::program::Program;
use crd_generator::session::Session;

use super::{Group, Outcome, Run, Subcommand};
use crate::arguments::{Format, after_help, format, formats_argument, value};

pub(super) const SUBCOMMAND: Subcommand = Subcommand {
    name: "settings",
    about: "List every key of `crd-channels.yaml`, or print its JSON schema",
    group: Group::Reference,
    arguments,
    run: Run::WithoutTypes(run),
};

fn arguments(command: Command, program: Program) -> Command {
    let formats = [(Format::Text, "for people"), (Format::Schema, "the JSON schema of the file, for editors")];
    let examples = [
        ("settings", "every key"),
        ("settings --format schema > crd-channels.schema.json", "for an editor"),
        ("settings --page SETTINGS.md", "the reference page"),
    ];
    command
        .arg(formats_argument("How the keys are printed", &formats))
        .args(generated_page::arguments())
        .after_help(after_help(program, &[Exit::Fine, Exit::Unusable, Exit::Stale], &examples))
}

/// Whether the keys or their schema are printed, and where.
struct Request {
    page: Option<PathBuf>,
    is_check: bool,
    is_schema: bool,
}

impl From<&ArgMatches> for Request {
    fn from(matches: &ArgMatches) -> Self {
        let is_schema = format(matches) == Format::Schema;
        Self { page: value(matches, PAGE), is_check: matches.get_flag(CHECK), is_schema }
    }
}

fn run(matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let request = Request::from(matches);
    if let Some(path) = &request.page {
        return generated_page::write("settings", path, &page(), request.is_check, session);
    }
    if request.is_schema {
        session.print(SCHEMA);
        return Ok(Exit::Fine);
    }
    for (name, form, about) in rows() {
        session.print(format_args!("{NAME}{name}{NAME:#}: {form}\n"));
        session.print(wrapped(&about, 4, session.width));
    }
    Ok(Exit::Fine)
}
