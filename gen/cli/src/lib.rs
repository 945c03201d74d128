//! The command line: every subcommand. An `xtask` is a [`Catalogue`] and a call of [`run`]; the program `crd-channels` reads the types from source, and has
//! with the feature `cluster` the subcommands that talk to clusters.
//!
//! Knows nothing of `crd-webhook` or `gateway-api-types`.
//!
//! Invariants: a command does everything or changes no file. All errors are reported together. What is printed and written depends on the
//! input only, never on the number of threads.
//!
//! ```no_run
//! use crd_channels_cli::{Catalogue, run};
//!
//! fn main() -> std::process::ExitCode {
//!     run(Catalogue::default())
//! }
//! ```

mod archive_file;
mod arguments;
mod base;
pub mod bundle_document;
pub mod bundle_folder;
mod chart;
pub mod codes;
pub mod command;
mod commit_files;
pub mod conversion;
mod crd_files;
mod element_name;
mod files;
mod findings;
mod fitting;
mod graduation;
mod graduation_file;
pub mod history;
pub mod history_archive;
mod imported_bundle;
mod input;
mod key_file;
mod language_server;
mod ledger;
mod linting;
mod marker_edit;
mod new_tombstones;
pub mod objects;
mod oci_layout;
mod project_kind;
mod publication;
#[cfg(feature = "registry")]
pub mod registry;
mod release;
mod release_date;
mod release_dates;
pub mod releases;
mod repository_files;
mod restoration;
mod site;
pub mod source;
mod source_lines;
pub mod suites;
mod tags;
mod testing;
mod types;
pub mod types_of_crds;
mod validation;
mod verification;
mod waivers;
mod walk;
mod watch;
mod working_tree;
mod workspace;
mod written_types;

#[cfg(feature = "cluster")]
mod features;
#[cfg(feature = "cluster")]
mod implementation;
#[cfg(feature = "cluster")]
mod inspection;
#[cfg(feature = "cluster")]
mod migration;
#[cfg(feature = "cluster")]
mod progress;
#[cfg(feature = "cluster")]
mod skew;
#[cfg(feature = "cluster")]
mod sources;
#[cfg(feature = "cluster")]
mod upgrade;

use std::ffi::OsString;
use std::process::ExitCode;

pub use crd_generator::{Catalogue, Exit, Policy, Session, SubcommandPackage, Webhook};

use crd_generator::command::CommandLine;
use crd_generator::program::Program;

/// The command line of an `xtask`.
const XTASK: CommandLine = CommandLine {
    program: Program::Xtask,
    subcommands: &[crd_generator::command::SUBCOMMANDS, command::SUBCOMMANDS],
    elsewhere: "",
    sources: &[],
    written_types: Some(written_types::read),
    pages: &[],
};

/// The program `crd-channels`.
#[cfg(feature = "cluster")]
const CRD_CHANNELS: CommandLine = CommandLine {
    program: Program::CrdChannels,
    subcommands: &[crd_generator::command::SUBCOMMANDS, command::SUBCOMMANDS, command::OF_CLUSTERS],
    elsewhere: "",
    sources: sources::SOURCES,
    written_types: Some(written_types::read),
    pages: &[
        crd_cluster::PAGES,
        crd_upgrade::inspect::PAGES,
        crd_upgrade::migrate::PAGES,
        crd_oci::registry::PAGES,
        crd_stamps::skew::PAGES,
    ],
};

/// Runs the command line of the process with this catalogue. `main` returns the result.
pub fn run(catalogue: Catalogue) -> ExitCode {
    run_with_packages(catalogue, &[])
}

/// Runs the command line of the process with this catalogue and with subcommands of other packages.
pub fn run_with_packages(catalogue: Catalogue, packages: &[SubcommandPackage]) -> ExitCode {
    crd_generator::process::run(XTASK, Some(&catalogue), packages)
}

/// Runs the command line in a session: with these arguments (without the name of the program), and nothing else from the process.
pub fn run_in(
    catalogue: &Catalogue,
    arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    session: &mut Session<'_>,
) -> Exit {
    XTASK.run(Some(catalogue), arguments, session)
}

/// Runs the program `crd-channels` with the arguments of the process.
#[cfg(feature = "cluster")]
pub fn run_without_types() -> ExitCode {
    crd_generator::process::run(CRD_CHANNELS, None, &[])
}

/// Runs the program `crd-channels` in a session: with these arguments (without its name), and nothing else from the process.
#[cfg(feature = "cluster")]
pub fn run_without_types_in(
    arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    session: &mut Session<'_>,
) -> Exit {
    CRD_CHANNELS.run(None, arguments, session)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn the_small_program_lists_every_subcommand_of_an_xtask() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../generator/src/command/xtask.tsv");
        let table = XTASK.table();
        if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
            std::fs::write(&file, &table).unwrap();
        }
        assert_eq!(std::fs::read_to_string(&file).unwrap(), table, "run the test with UPDATE_SNAPSHOTS=1");
    }
}
