//! `settings`: every key of `crd-channels.yaml`, as text, as the JSON schema for editors, or as the reference page.

use std::path::PathBuf;

use clap::{ArgMatches, Command};
use crd_diagnostics::layout::wrapped;
use crd_diagnostics::style::NAME;
use crd_generate::settings::{SCHEMA, page, rows};

use super::generated_page::{self, CHECK, PAGE};
use super::{Outcome, Run, Subcommand};
use crate::arguments::{FORMAT, after_help, choice};
use crate::exit::Exit;
use crate::program::Program;
use crate::session::Session;

pub(super) const SUBCOMMAND: Subcommand = Subcommand { name: "settings", arguments, run: Run::WithoutTypes(run) };

fn arguments(command: Command, program: Program) -> Command {
    let formats = [("text", "for people"), ("schema", "the JSON schema of the file, for editors")];
    let examples = [
        ("settings", "every key"),
        ("settings --format schema > crd-channels.schema.json", "for an editor"),
        ("settings --page SETTINGS.md", "the reference page"),
    ];
    command
        .arg(choice(FORMAT, "FORMAT", "text", "How the keys are printed", formats))
        .args(generated_page::arguments())
        .after_help(after_help(program, &[Exit::Fine, Exit::Unusable, Exit::Stale], &examples))
}

fn run(matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    if let Some(path) = matches.get_one::<PathBuf>(PAGE) {
        return generated_page::write("settings", path, &page(), matches.get_flag(CHECK), session);
    }
    if matches.get_one::<String>(FORMAT).is_some_and(|format| format == "schema") {
        session.print(SCHEMA);
        return Ok(Exit::Fine);
    }
    for (name, form, about) in rows() {
        session.print(format_args!("{NAME}{name}{NAME:#}: {form}\n"));
        session.print(wrapped(&about, 4, session.width));
    }
    Ok(Exit::Fine)
}
