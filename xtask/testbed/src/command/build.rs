//! `build`: builds programs into the cache, so that later commands do not build them.

use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};

use super::{Subcommand, UNUSABLE, examples, kubernetes, kubernetes_argument, write};
use crate::failure::Failure;
use crate::folders::Folders;
use crate::programs::{BY_NAME, NAMES, build_named};
use crate::progress::ProgressLine;

pub(super) const SUBCOMMAND: Subcommand = Subcommand { name: "build", arguments, run, failure: UNUSABLE };

const PROGRAMS: &str = "programs";

fn arguments(command: Command) -> Command {
    command
        .about("Build the programs that are not in the cache, and print the paths of all")
        .arg(kubernetes_argument())
        .arg(
            Arg::new(PROGRAMS)
                .value_name("PROGRAM")
                .value_parser(PossibleValuesParser::new(NAMES))
                .num_args(0..)
                .action(ArgAction::Append)
                .help("Build only these programs [default: all except kube-controller-manager, cosign and helm-controller]"),
        )
        .after_help(examples(&[
            ("build", "build all programs of the default minor"),
            ("build --kubernetes 1.32", "build another minor"),
            ("build helm", "build only Helm"),
        ]))
}

fn run(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let minor = kubernetes(matches)?;
    let mut progress = ProgressLine::on_stderr();
    let mut chosen = matches.get_many::<String>(PROGRAMS).into_iter().flatten().map(String::as_str).collect::<Vec<_>>();
    if chosen.is_empty() {
        chosen = NAMES.into_iter().filter(|name| !BY_NAME.contains(name)).collect();
    }
    let programs = build_named(&chosen, minor, &Folders::of_checkout(), &mut |step| progress.show(&step))?;
    drop(progress);
    for path in programs {
        write(&format!("{}\n", path.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}
