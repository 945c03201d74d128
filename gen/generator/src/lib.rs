//! The small program of a workspace: `generate` and `markers`, which are called after every edit of a type, `new`, and what every command line of CRD
//! channels uses: arguments, sessions, files and transactions.
//!
//! Knows nothing of `crd-bundle`, `crd-compat`, `crd-release`, `crd-cluster` or `ureq`.
//!
//! Invariants: it compiles nothing that compares, releases or converts bundles. A command does everything or changes no file. All errors are
//! reported together. Written bytes depend on the types only, never on the number of threads.

pub mod activity;
pub mod arguments;
pub mod catalogue;
pub mod command;
mod crd_command;
pub mod difference;
pub mod exit;
pub mod file;
pub mod folder;
pub mod generated_tree;
pub mod generation;
mod global_options;
pub mod go_module;
pub mod init;
pub mod locked_folder;
pub mod new_workspace;
pub mod process;
pub mod program;
pub mod published_types;
pub mod renaming;
pub mod root;
pub mod session;
pub mod settings;
pub mod source;
mod subcommand_package;
pub mod temporary;
pub mod transaction;
pub mod workspace;

use std::process::ExitCode;

pub use crd_generate::Catalogue;
pub use crd_model::policy::Policy;
pub use crd_model::webhook::Webhook;
pub use exit::Exit;
pub use session::Session;
pub use subcommand_package::SubcommandPackage;

use command::{CommandLine, OF_XTASK, SUBCOMMANDS};
use program::Program;

const GENERATOR: CommandLine = CommandLine {
    program: Program::Xtask,
    subcommands: &[SUBCOMMANDS],
    elsewhere: OF_XTASK,
    sources: &[],
    written_types: None,
    pages: &[],
};

/// Runs the command line of the process without compiled types: `generate` reads the crate that the settings name. `main` returns the result.
pub fn run_from_source() -> ExitCode {
    run_from_source_with_packages(&[])
}

/// The same with subcommands of other packages.
pub fn run_from_source_with_packages(packages: &[SubcommandPackage]) -> ExitCode {
    process::run(GENERATOR, None, packages)
}

/// Runs the command line of the process with this catalogue. `main` returns the result.
pub fn run(catalogue: Catalogue) -> ExitCode {
    run_with_packages(catalogue, &[])
}

/// Runs the command line of the process with this catalogue and with subcommands of other packages.
pub fn run_with_packages(catalogue: Catalogue, packages: &[SubcommandPackage]) -> ExitCode {
    process::run(GENERATOR, Some(&catalogue), packages)
}
