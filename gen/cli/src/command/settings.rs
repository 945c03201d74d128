//! `settings`: every key of `crd-channels.yaml`, as text, as the JSON schema for editors, or as the reference page.
//!
//! Invariants: all facts about keys come from their table.

use std::path::PathBuf;

use clap::{ArgMatches, Command};
use crd_diagnostics::layout::wrapped;
use crd_diagnostics::style::NAME;
use crd_generate::settings::{Form, Key, keys, page, schema};

use super::generated_page::{self, CHECK, PAGE};
use super::{Outcome, Run, Subcommand};
use crate::arguments::{FORMAT, after_help, choice};
use crate::exit::Exit;
use crate::program::Program;
use crate::session::Session;

pub(super) const SUBCOMMAND: Subcommand = Subcommand { name: "settings", arguments, run: Run::WithoutTypes(run) };

fn arguments(command: Command, program: Program) -> Command {
    let formats = [("text", "for people"), ("schema", "the JSON schema of the file, for editors")];
    command
        .arg(choice(FORMAT, "FORMAT", "text", "How the keys are printed", formats))
        .args(generated_page::arguments())
        .after_help(after_help(
            program,
            &[Exit::Fine, Exit::Unusable, Exit::Stale],
            &[
                ("settings", "every key"),
                ("settings --format schema > crd-channels.schema.json", "for an editor"),
                ("settings --page SETTINGS.md", "the reference page"),
            ],
        ))
}

fn run(matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    if let Some(path) = matches.get_one::<PathBuf>(PAGE) {
        return generated_page::write("settings", path, &page(), matches.get_flag(CHECK), session);
    }
    match matches.get_one::<String>(FORMAT).map(String::as_str) {
        Some("schema") => session.print(format_args!("{:#}\n", schema())),
        _ => print(&keys(), 0, session),
    }
    Ok(Exit::Fine)
}

fn print(keys: &[Key], indent: usize, session: &mut Session<'_>) {
    for Key { name, form, about } in keys {
        session.print(format_args!("{:indent$}{NAME}{name}{NAME:#}: {}\n", "", form.words()));
        session.print(wrapped(about, indent + 4, session.width));
        if let Form::Section(keys) = form {
            print(keys, indent + 2, session);
        }
    }
}
