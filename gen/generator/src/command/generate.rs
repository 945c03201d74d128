//! `generate`: writes the CRDs of the types in every channel, or checks that they are up to date.

mod costs;
mod report;

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, value_parser};
use crd_diagnostics::json;
use crd_generate::Catalogue;

use super::{Outcome, Run, Subcommand};
use crate::arguments::{
    Format, ROOT, after_help, channel, channel_argument, explicit_root, flag, format, format_argument, root_argument,
};
use crate::exit::Exit;
use crate::generation::{Options, generate};
use crate::program::Program;
use crate::session::Session;
use crate::settings::with_settings;

pub(super) const SUBCOMMAND: Subcommand = Subcommand { name: "generate", arguments, run: Run::WithTypes(run) };

fn arguments(command: Command, program: Program) -> Command {
    command
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
            flag("verbose", "List every schema path where a channel is not, or may not be, contained in the next one")
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
                ("generate --check", "in CI: check that the committed files are up to date"),
                ("generate --channel standard", "one channel only"),
                ("generate --out /tmp/crds", "somewhere else"),
                ("generate --check --costs", "which CEL rules are expensive"),
            ],
        ))
}

fn run(catalogue: &Catalogue, matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let options = Options {
        check: matches.get_flag("check"),
        channel: channel(matches),
        out: matches.get_one("out").cloned(),
        root: explicit_root(matches).map(PathBuf::from),
        read_back: !matches.get_flag("no-read-back"),
        costs: matches.get_flag("costs"),
    };
    let result = with_settings(catalogue, explicit_root(matches), session)
        .and_then(|catalogue| generate(&catalogue, &options, session));
    let exit = match &result {
        Err(_) => Exit::Unusable,
        Ok(generation) if options.check && generation.has_changes() => Exit::Stale,
        Ok(_) => Exit::Fine,
    };
    match format(matches) {
        Format::Json => session.print(json::line(&report::document(&result, &options, session))),
        Format::Text => report::print(&result?, &options, matches.get_flag("verbose"), session),
    }
    Ok(exit)
}
