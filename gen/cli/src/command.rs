//! The subcommands of the program `crd-channels` in addition to those of `crd-xtask`: one file each.

mod explain;
mod inspect;
mod migrate;

use crd_generator::command::Subcommand;

/// The subcommands of this crate. The pages of `explain` include those of clusters.
pub(crate) const SUBCOMMANDS: &[Subcommand] = &[explain::SUBCOMMAND, inspect::SUBCOMMAND, migrate::SUBCOMMAND];
