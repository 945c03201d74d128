//! `build`: the programs, into the cache, so that nothing has to be built later.
//!
//! Read by CI, which wants to see how long it takes.

use std::process::ExitCode;

use clap::{ArgMatches, Command};

use super::progress::ProgressLine;
use super::{Subcommand, UNUSABLE, examples, kubernetes, kubernetes_argument};
use crate::failure::Failure;
use crate::folders::Folders;
use crate::programs::programs;
use crate::testbed::minor_named;

pub(super) const SUBCOMMAND: Subcommand = Subcommand { name: "build", arguments, run, failure: UNUSABLE };

fn arguments(command: Command) -> Command {
    command
        .about("Builds the programs that are not in the cache, and prints where all of them are")
        .arg(kubernetes_argument())
        .after_help(examples(&[
            ("build", "before the network goes away"),
            ("build --kubernetes 1.32", "another minor"),
        ]))
}

fn run(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let minor = minor_named(kubernetes(matches))?;
    let mut progress = ProgressLine::on_stderr();
    let programs = programs(minor, &Folders::of_checkout(), &mut |step| progress.show(&step))?;
    drop(progress);
    for path in [&programs.etcd, &programs.kube_apiserver, &programs.kubectl] {
        println!("{}", path.display());
    }
    Ok(ExitCode::SUCCESS)
}
