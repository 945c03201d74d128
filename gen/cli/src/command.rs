//! The subcommands of the program `crd-channels` in addition to those of `crd-xtask`: one file each.

mod explain;
mod guardrails;
mod inspect;
mod migrate;
mod push;
mod skew;

use crd_generator::command::Subcommand;

/// The subcommands of this crate. The pages of `explain` include those of clusters.
pub(crate) const SUBCOMMANDS: &[Subcommand] = &[
    explain::SUBCOMMAND,
    guardrails::SUBCOMMAND,
    inspect::SUBCOMMAND,
    migrate::SUBCOMMAND,
    push::SUBCOMMAND,
    skew::SUBCOMMAND,
];
