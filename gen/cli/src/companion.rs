//! A companion: a subcommand that another package of the workspace has, called as one of ours.
//!
//! Fed by somebody's `main` ([`crate::run_beside`]). Read by the help, which lists it, and by whoever calls it.
//!
//! Invariants: nothing of it is compiled before it is called, which keeps what is called after every edit small. Its arguments, its help
//! and its exit code are its own.

use std::ffi::OsString;
use std::process::{Command, ExitCode};

use crate::layout::ERROR;
use crate::session::Exit;

/// A subcommand that another package of the workspace has: `cargo xtask NAME …` is `cargo run --package PACKAGE -- …`.
#[derive(Clone, Copy, Debug)]
pub struct Companion {
    /// What is typed.
    pub name: &'static str,
    /// Its line in our help.
    pub about: &'static str,
    /// The package whose program it is.
    pub package: &'static str,
}

impl Companion {
    /// Runs it with these arguments.
    pub(crate) fn run(&self, arguments: impl Iterator<Item = OsString>) -> ExitCode {
        // The cargo that runs us, if one does.
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(&cargo);
        command.args(["run", "--quiet", "--package", self.package, "--"]).args(arguments);
        let error = finish(&mut command);
        match error {
            Ok(code) => code,
            Err(error) => {
                anstream::eprintln!(
                    "{ERROR}error:{ERROR:#} {} cannot be run for {}: {error}",
                    cargo.display(),
                    self.name
                );
                Exit::Unusable.into()
            }
        }
    }
}

/// Becomes the command, as cargo does with us: one process, which gets every signal itself.
#[cfg(unix)]
fn finish(command: &mut Command) -> std::io::Result<ExitCode> {
    Err(std::os::unix::process::CommandExt::exec(command))
}

#[cfg(not(unix))]
fn finish(command: &mut Command) -> std::io::Result<ExitCode> {
    let code = command.status()?.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}
