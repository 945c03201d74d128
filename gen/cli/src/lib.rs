//! The program `crd-channels`: the subcommands of an `xtask` that need no types, and those that talk to clusters.
#![deny(missing_docs)]

mod command;
mod features;
mod implementation;
mod inspection;
mod migration;
mod progress;
mod skew;
mod sources;

use std::ffi::OsString;
use std::process::ExitCode;

pub use crd_xtask::{Catalogue, Exit, Policy, Session, SubcommandPackage, Webhook, run_in};

use crd_generator::command::CommandLine;
use crd_generator::program::Program;

/// The program `crd-channels`.
const CRD_CHANNELS: CommandLine = CommandLine {
    program: Program::CrdChannels,
    subcommands: &[command::SUBCOMMANDS, crd_xtask::command::SUBCOMMANDS, crd_generator::command::SUBCOMMANDS],
    sources: sources::SOURCES,
};

/// Runs the program with the arguments of the process.
pub fn run_without_types() -> ExitCode {
    crd_generator::process::run(CRD_CHANNELS, None, &[])
}

/// Runs the program in a session: with these arguments (without its name), and nothing else from the process.
pub fn run_without_types_in(
    arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    session: &mut Session<'_>,
) -> Exit {
    CRD_CHANNELS.run(None, arguments, session)
}
