//! The command line of an `xtask`: every subcommand that needs no cluster. An `xtask` is a [`Catalogue`] and a call of [`run`].
//!
//! Invariants: a command does everything or changes no file. All errors are reported together. What is printed and written depends on the
//! input only, never on the number of threads.
//!
//! ```no_run
//! use crd_xtask::{Catalogue, run};
//!
//! fn main() -> std::process::ExitCode {
//!     run(Catalogue::default())
//! }
//! ```
#![deny(missing_docs)]

mod added_waivers;
mod arguments;
mod base;
pub mod bundle_document;
pub mod bundle_folder;
pub mod codes;
pub mod command;
mod commit_files;
pub mod conversion;
mod crd_files;
mod element_name;
mod files;
mod findings;
mod graduation;
mod graduation_file;
pub mod history;
pub mod history_archive;
mod imported_bundle;
mod input;
mod key_file;
mod ledger;
mod linting;
mod marker_edit;
mod new_tombstones;
pub mod objects;
mod oci_layout;
mod publication;
#[cfg(feature = "registry")]
pub mod registry;
mod release;
mod release_date;
pub mod releases;
mod repository_files;
mod restoration;
mod site;
pub mod source;
mod source_lines;
pub mod suites;
mod testing;
mod types;
pub mod types_of_crds;
mod types_of_elements;
mod validation;
mod verification;
mod walk;
mod watch;
mod working_tree;
mod workspace;

use std::ffi::OsString;
use std::process::ExitCode;

pub use crd_generator::{Catalogue, Exit, Policy, Session, SubcommandPackage, Webhook};

use crd_generator::command::CommandLine;
use crd_generator::program::Program;
use crd_generator::{
    catalogue, difference, exit, file, folder, generated_tree, generation, go_module, locked_folder, program, renaming,
    root, session, settings, temporary, transaction,
};

/// The command line of an `xtask`.
const XTASK: CommandLine = CommandLine {
    program: Program::Xtask,
    subcommands: &[command::SUBCOMMANDS, crd_generator::command::SUBCOMMANDS],
    sources: &[],
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
