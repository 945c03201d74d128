//! The command line of CRD channels, as a library: an adopter's `xtask` is a [`Catalogue`] and a call of [`run`].
//!
//! Fed with the catalogue by somebody's `main`, and with arguments by whoever runs it. Read by people, by CI (exit codes, `--format
//! json`) and by git, which sees the files.
//!
//! Invariants: the only library that touches the filesystem; what it is asked to do happens wholly or not at all; every error at
//! once, and any error means that no file has changed; bytes depend on the types only, never on the number of threads.
//!
//! ```no_run
//! use crd_channels_cli::{Catalogue, run};
//!
//! fn main() -> std::process::ExitCode {
//!     run(Catalogue::new("things.example.com", "v1.0.0"))
//! }
//! ```
#![deny(missing_docs)]
// What only `bundles` uses of the other modules: little, and the linker leaves it out.
#![cfg_attr(not(feature = "bundles"), allow(dead_code))]

mod command;
mod companion;
mod difference;
mod fault;
#[cfg(feature = "bundles")]
mod findings;
mod folder;
#[cfg(feature = "bundles")]
mod history;
mod json;
#[cfg(feature = "bundles")]
mod judgement;
mod layout;
#[cfg(feature = "bundles")]
mod moment;
mod parallel;
#[cfg(feature = "bundles")]
mod publication;
mod root;
mod session;
#[cfg(feature = "bundles")]
mod source;
mod transaction;
#[cfg(feature = "bundles")]
mod working_tree;

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

pub use companion::Companion;
pub use crd_generate::Catalogue;
pub use session::{Exit, Session};

/// Runs the command line of the process on this catalogue. What `main` returns.
pub fn run(catalogue: Catalogue) -> ExitCode {
    run_beside(catalogue, &[])
}

/// Runs the command line of the process on this catalogue, with the subcommands of other packages beside our own.
pub fn run_beside(catalogue: Catalogue, companions: &[Companion]) -> ExitCode {
    let mut arguments = std::env::args_os().skip(1).peekable();
    if let Some(companion) =
        arguments.peek().and_then(|first| companions.iter().find(|companion| first == companion.name))
    {
        return companion.run(arguments.skip(1));
    }
    if arguments.peek().is_some_and(|first| command::is_elsewhere(first)) {
        return companion::run_with_bundles(arguments);
    }
    // Without a current folder, absolute paths still work.
    let folder = std::env::current_dir().unwrap_or_default();
    // Both streams drop colours unless a terminal shows them (and NO_COLOR, CLICOLOR and TERM=dumb are heeded).
    let mut out = io::BufWriter::new(anstream::AutoStream::auto(io::stdout().lock()));
    let mut err = anstream::AutoStream::auto(io::stderr().lock());
    let mut session = Session::new(folder, &mut out, &mut err)
        .package(std::env::var_os("CARGO_MANIFEST_DIR"))
        .companions(companions)
        .source_date_epoch(std::env::var("SOURCE_DATE_EPOCH").ok())
        .width(terminal_size::terminal_size().map(|(width, _)| usize::from(width.0)));
    run_in(&catalogue, arguments, &mut session).into()
}

/// Runs the command line in a session: with these arguments (without the name of the program), and nothing else from the process.
pub fn run_in(
    catalogue: &Catalogue,
    arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    session: &mut Session<'_>,
) -> Exit {
    let exit = command::dispatch(catalogue, arguments, session);
    session.close(exit)
}
