//! `lsp`: a language server on standard input and output.

use std::ffi::OsString;

use clap::{ArgMatches, Command};
use crd_diagnostics::Diagnostic;
use crd_generator::exit::Exit;
use crd_generator::program::Program;
use crd_generator::session::Session;
use crd_model::channel::Channel;

use super::{Group, Outcome, Run, Subcommand};
use crate::arguments::{CRDS, after_help, channel, channel_argument, kubernetes_argument, minors, option, values};
use crate::language_server::ServedProjects;

pub(super) const SUBCOMMAND: Subcommand = Subcommand {
    name: "lsp",
    about: "Serve an editor: answers about objects and settings while they are typed",
    group: Group::Objects,
    arguments,
    run: Run::WithoutTypes(run),
};

fn arguments(command: Command, program: Program) -> Command {
    command
        .long_about(
            "Serve an editor over standard input and output with the language server protocol. For objects in YAML and JSON: the diagnostics of \
             `validate`, at the same places, completion of keys and values, fields in words, and fixes. For `crd-channels.yaml`: what every command \
             reports. For types in Rust and Go, when they are saved: what `check --source` reports.\n\n\
             The CRDs of a file are those of its project: what `crds` in the settings names, what `generate` wrote for types, or the folder where \
             generators write CRDs. The command `crd-channels.showCrds` of the server shows which, and why. No file is written.",
        )
        .arg(
            option(CRDS, "FILE", "Use these CRDs in every project; may be repeated")
                .value_parser(clap::value_parser!(OsString))
                .action(clap::ArgAction::Append),
        )
        .arg(channel_argument("The channel of the CRDs [default: standard, or the only one]"))
        .arg(kubernetes_argument())
        .after_help(after_help(
            program,
            &[Exit::Fine, Exit::Unusable],
            &[
                ("lsp", "as an editor calls it"),
                ("lsp --channel experimental", "for objects of the experimental channel"),
            ],
        ))
}

/// What every project has.
struct Request {
    named: Vec<OsString>,
    channel: Option<Channel>,
    minors: Vec<u32>,
}

impl From<&ArgMatches> for Request {
    fn from(matches: &ArgMatches) -> Self {
        Self { named: values(matches, CRDS), channel: channel(matches), minors: minors(matches) }
    }
}

fn run(matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let Request { named, channel, minors } = Request::from(matches);
    let (connection, threads) = crd_lsp::stdio();
    let served = ServedProjects { session, named, channel, minors };
    let result = crd_lsp::serve(&connection, &served);
    drop(connection);
    let failed = |error: String| {
        let message = format!("the editor and the server do not understand each other: {error}");
        Vec::from([Diagnostic::error("lsp::protocol", message)])
    };
    result.and_then(|()| threads.join().map_err(|error| error.to_string())).map_err(failed)?;
    Ok(Exit::Fine)
}
