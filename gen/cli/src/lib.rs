//! The command line of CRD channels as a library: an `xtask` is a [`Catalogue`] and a call of [`run`].
//!
//! Invariants: the only library in `gen` that touches the filesystem. A command does everything or changes no file. All errors are reported
//! together. Written bytes depend on the types only, never on the number of threads.
//!
//! ```no_run
//! use crd_channels_cli::{Catalogue, run};
//!
//! fn main() -> std::process::ExitCode {
//!     run(Catalogue::default())
//! }
//! ```
#![deny(missing_docs)]
// Code that only `bundles` uses is small, and the linker removes it.
#![cfg_attr(not(feature = "bundles"), allow(dead_code))]

mod activity;
mod arguments;
#[cfg(feature = "bundles")]
mod base;
#[cfg(feature = "bundles")]
mod bundle_folder;
#[cfg(feature = "bundles")]
mod candidate;
mod catalogue;
#[cfg(feature = "bundles")]
mod codes;
mod command;
#[cfg(feature = "bundles")]
mod commit_files;
#[cfg(feature = "bundles")]
mod conversion;
#[cfg(feature = "bundles")]
mod crd_files;
mod difference;
#[cfg(feature = "bundles")]
mod element_name;
mod exit;
mod file;
#[cfg(feature = "bundles")]
mod files;
#[cfg(feature = "bundles")]
mod findings;
mod folder;
mod generation;
mod global_options;
#[cfg(feature = "bundles")]
mod graduation;
#[cfg(feature = "bundles")]
mod graduation_file;
#[cfg(feature = "bundles")]
mod history;
#[cfg(feature = "bundles")]
mod history_archive;
#[cfg(feature = "bundles")]
mod imported_bundle;
#[cfg(feature = "bundles")]
mod input;
#[cfg(feature = "clusters")]
mod inspection;
#[cfg(feature = "bundles")]
mod ledger;
mod locked_folder;
#[cfg(feature = "bundles")]
mod marker_edit;
#[cfg(feature = "clusters")]
mod migration;
#[cfg(feature = "bundles")]
mod new_tombstones;
#[cfg(feature = "bundles")]
mod new_workspace;
#[cfg(feature = "bundles")]
mod objects;
mod program;
#[cfg(feature = "bundles")]
mod publication;
#[cfg(feature = "bundles")]
mod release;
#[cfg(feature = "bundles")]
mod release_date;
#[cfg(feature = "bundles")]
mod releases;
mod renaming;
#[cfg(feature = "bundles")]
mod repository_files;
#[cfg(feature = "bundles")]
mod restoration;
mod root;
mod session;
mod settings;
#[cfg(feature = "bundles")]
mod site;
#[cfg(feature = "bundles")]
mod source;
mod subcommand_package;
mod temporary;
mod transaction;
#[cfg(feature = "bundles")]
mod types_of_elements;
#[cfg(feature = "bundles")]
mod validation;
#[cfg(feature = "bundles")]
mod walk;
#[cfg(feature = "bundles")]
mod working_tree;

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

pub use crd_generate::Catalogue;
pub use crd_model::policy::Policy;
pub use crd_model::webhook::Webhook;
pub use exit::Exit;
pub use session::Session;
pub use subcommand_package::SubcommandPackage;

use activity::Activity;
use anstream::{AutoStream, ColorChoice};
use program::Program;

/// Runs the command line of the process with this catalogue. `main` returns the result.
pub fn run(catalogue: Catalogue) -> ExitCode {
    run_with_packages(catalogue, &[])
}

/// Runs the command line of the process with this catalogue and with subcommands of other packages.
pub fn run_with_packages(catalogue: Catalogue, packages: &[SubcommandPackage]) -> ExitCode {
    let arguments = arguments_of_process();
    if let Some(position) = global_options::subcommand(&arguments) {
        let name = &arguments[position];
        if let Some(package) = packages.iter().find(|package| name == package.name) {
            return package.run(arguments.into_iter().skip(position + 1));
        }
        if command::needs_bundles(name) {
            return subcommand_package::run_with_bundles(arguments);
        }
    }
    of_process(Program::Xtask, packages, |session| run_in(&catalogue, arguments, session))
}

/// Runs the subcommands that need no types: the program `crd-channels`.
#[cfg(feature = "bundles")]
pub fn run_without_types() -> ExitCode {
    let arguments = arguments_of_process();
    of_process(Program::CrdChannels, &[], |session| run_without_types_in(arguments, session))
}

/// The arguments of the process. Their choice of colours applies to everything that the process prints from now on.
fn arguments_of_process() -> Vec<OsString> {
    let arguments = std::env::args_os().skip(1).collect::<Vec<_>>();
    global_options::colours(&arguments, std::env::var_os("CARGO_TERM_COLOR").as_deref()).write_global();
    arguments
}

/// Runs a command in a session of the process.
fn of_process(
    program: Program,
    packages: &[SubcommandPackage],
    run: impl FnOnce(&mut Session<'_>) -> Exit,
) -> ExitCode {
    // Without a current folder, absolute paths still work.
    let folder = std::env::current_dir().unwrap_or_default();
    let out = io::stdout().lock();
    // Colours are removed unless a terminal shows them, or they are asked for.
    let colours = AutoStream::choice(&out);
    let is_plain = colours == ColorChoice::Never;
    let mut out = io::BufWriter::new(AutoStream::new(out, if is_plain { ColorChoice::AlwaysAnsi } else { colours }));
    // Not locked: the thread of the activity prints too.
    let mut err = AutoStream::auto(io::stderr());
    let mut session = Session::new(folder, &mut out, &mut err)
        .packages_in_help(packages)
        .source_date_epoch(std::env::var("SOURCE_DATE_EPOCH").ok())
        .width(terminal_size::terminal_size().map(|(width, _)| usize::from(width.0)));
    session.program = program;
    session.is_plain = is_plain;
    session.activity = Activity::of_process();
    if program == Program::Xtask {
        session = session.package(std::env::var_os("CARGO_MANIFEST_DIR"));
    }
    run(&mut session).into()
}

/// Runs the command line in a session: with these arguments (without the name of the program), and nothing else from the process.
pub fn run_in(
    catalogue: &Catalogue,
    arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    session: &mut Session<'_>,
) -> Exit {
    let exit = command::dispatch(Some(catalogue), arguments, session);
    session.close(exit)
}

/// Runs the program `crd-channels` in a session, as [`run_in`] runs an `xtask`.
#[cfg(feature = "bundles")]
pub fn run_without_types_in(
    arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    session: &mut Session<'_>,
) -> Exit {
    session.program = Program::CrdChannels;
    let exit = command::dispatch(None, arguments, session);
    session.close(exit)
}
