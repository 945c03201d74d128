//! `generate`: writes the CRDs of the types in every channel, or checks that they are up to date.

pub mod costs;
pub mod document;
mod report;

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, value_parser};
use crd_diagnostics::{Diagnostic, json};
use crd_generate::Catalogue;

use super::{Group, Outcome, Run, Subcommand};
use crate::arguments::{
    FORMAT, Format, ROOT, after_help, channel, channel_argument, flag, format, format_argument, named_root,
    root_argument, value,
};
use crate::crd_command;
use crate::exit::Exit;
use crate::generation::{Options, generate};
use crate::program::Program;
use crate::session::Session;
use crate::settings::{of_source, with_settings};

/// The subcommand of a program that does not have its types: the full program compiles and watches them.
pub const SUBCOMMAND: Subcommand = Subcommand {
    name: "generate",
    about: "Write the CRDs of every channel, or check that they are up to date",
    group: Group::Types,
    arguments,
    run: Run::Forwarding(run, &["--compiled", "--watch"]),
};

/// Whether a program runs until it is interrupted.
pub const WATCH: &str = "watch";

pub fn arguments(command: Command, program: Program) -> Command {
    command
        .long_about(
            "Write the CRDs of every channel, or check that they are up to date.\n\n\
             If the settings name the crate with the types (`types: api`), its source is read, and no compiler runs. What the source does not \
             contain comes from `bundles/compiled.json`: schemas of foreign types, values of functions, constants of the catalogue. A source that \
             cannot be read with certainty is an error with its place. `--compiled` always works: it compiles the types, writes that file, and compares \
             the CRDs of the source with those of the compiled types.\n\n\
             If they name packages of Go (`types: go:./api/...`) or a file of marks (`marks: channels.yaml`), the CRDs in `crds` are divided into \
             channels. The command of `run` writes them first, except with `--check`.",

        )
        .arg(
            flag("compiled", "Use the compiled types, also if the settings name their source, and compare both")
                .conflicts_with(WATCH)
                .hide(program == Program::CrdChannels),
        )
        .arg(
            flag(WATCH, "Write the CRDs after each save, and print the findings of `check` that the change causes, until Ctrl-C")
                .conflicts_with_all(["check", "costs", FORMAT]),
        )
        .arg(flag("check", "Write nothing; show what is out of date, and exit with 3 if a file is"))
        .arg(channel_argument("Write this channel only; all channels are generated and checked"))
        .arg(
            Arg::new("out")
                .long("out")
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .conflicts_with(ROOT)
                .help("Write to DIR/CHANNEL instead of bundles/unreleased/CHANNEL"),
        )
        .arg(flag("no-read-back", "Skip reading changed files with an independent YAML reader before they are written"))
        .arg(
            flag("verbose", "List every schema path where a channel is not, or may not be, contained in the next one, and the types of other Go modules")
                .short('v'),
        )
        .arg(flag(
            "costs",
            "Print the estimated cost of each CEL rule, and the total of each version, with the limits of API servers",
        ))
        .arg(root_argument())
        .arg(format_argument())
        .after_help(after_help(
            program,
            &[Exit::Fine, Exit::Unusable, Exit::Stale],
            &[
                ("generate", "after a change to the types"),
                ("generate --watch", "while types are edited"),
                ("generate --compiled --check", "in CI: check that the committed files are up to date"),
                ("generate --channel standard", "one channel only"),
                ("generate --out /tmp/crds", "somewhere else"),
                ("generate --check --costs", "which CEL rules are expensive"),
            ],
        ))
}

/// What is generated, and how it is printed.
struct Request {
    options: Options,
    is_verbose: bool,
    format: Format,
}

impl From<&ArgMatches> for Request {
    fn from(matches: &ArgMatches) -> Self {
        let options = Options {
            compiled: matches.get_flag("compiled"),
            check: matches.get_flag("check"),
            channel: channel(matches),
            out: value(matches, "out"),
            root: named_root(matches),
            read_back: !matches.get_flag("no-read-back"),
            costs: matches.get_flag("costs"),
        };
        Self { options, is_verbose: matches.get_flag("verbose"), format: format(matches) }
    }
}

pub fn run(catalogue: Option<&Catalogue>, matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let Request { options, is_verbose, format } = Request::from(matches);
    let root = options.root.as_deref();
    let has_settings_in_code = catalogue.is_some_and(|catalogue| !catalogue.prefix().is_empty());
    if !options.check && !has_settings_in_code {
        crd_command::run(root, session)?;
    }
    let types = match (options.compiled, catalogue) {
        (false, catalogue) => of_source(catalogue, root, session),
        (true, Some(catalogue)) => with_settings(catalogue, root, session),
        (true, None) => Err(without_types().into()),
    };
    let result = types.and_then(|catalogue| {
        let mut generation = generate(&catalogue, &options, session)?;
        if is_verbose {
            generation.notes.extend(catalogue.written_crds().into_iter().flat_map(|written| written.notes()));
        }
        Ok(generation)
    });
    let exit = match &result {
        Err(_) => Exit::Unusable,
        Ok(generation) if options.check && generation.has_changes() => Exit::Stale,
        Ok(_) => Exit::Fine,
    };
    match format {
        Format::Json => session.print(json::line(&document::document(&result, &options, session))),
        _ => report::print(&result?, &options, is_verbose, session),
    }
    Ok(exit)
}

fn without_types() -> Diagnostic {
    Diagnostic::error("usage::generator-only", "this program has no compiled types")
        .help("run `cargo xtask generate --compiled` in the workspace")
}
