//! `explain` with the codes of what talks to clusters, and of clients.

use clap::ArgMatches;
use crd_generator::command::{Outcome, Run, Subcommand};
use crd_generator::session::Session;
use crd_xtask::codes::pages;
use crd_xtask::command::explain;

pub(super) const SUBCOMMAND: Subcommand = Subcommand { run: Run::WithoutTypes(run), ..explain::SUBCOMMAND };

fn run(matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let pages =
        pages(&[crd_cluster::PAGES, crd_inspect::PAGES, crd_migrate::PAGES, crd_registry::PAGES, crd_skew::PAGES]);
    explain::explain(&pages, matches, session)
}
