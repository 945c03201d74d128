//! `build`: the programs, into the cache, so that nothing has to be built later.
//!
//! Read by CI, which wants to see how long it takes.

use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};

use super::progress::ProgressLine;
use super::{Subcommand, UNUSABLE, examples, kubernetes, kubernetes_argument, write};
use crate::failure::Failure;
use crate::folders::Folders;
use crate::programs::{NAMES, named};
use crate::testbed::minor_named;

pub(super) const SUBCOMMAND: Subcommand = Subcommand { name: "build", arguments, run, failure: UNUSABLE };

const PROGRAMS: &str = "programs";

fn arguments(command: Command) -> Command {
    command
        .about("Builds the programs that are not in the cache, and prints where all of them are")
        .arg(kubernetes_argument())
        .arg(
            Arg::new(PROGRAMS)
                .value_name("PROGRAM")
                .value_parser(PossibleValuesParser::new(NAMES))
                .num_args(0..)
                .action(ArgAction::Append)
                .help("These programs only; all of them by default"),
        )
        .after_help(examples(&[
            ("build", "before the network goes away"),
            ("build --kubernetes 1.32", "another minor"),
            ("build helm", "Helm only, which nothing else needs"),
        ]))
}

fn run(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let minor = minor_named(kubernetes(matches))?;
    let mut progress = ProgressLine::on_stderr();
    let mut chosen = matches.get_many::<String>(PROGRAMS).into_iter().flatten().map(String::as_str).collect::<Vec<_>>();
    if chosen.is_empty() {
        chosen = NAMES.to_vec();
    }
    let programs = named(&chosen, minor, &Folders::of_checkout(), &mut |step| progress.show(&step))?;
    drop(progress);
    for path in programs {
        write(&format!("{}\n", path.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}
