//! A companion: a subcommand that another package of the workspace has, or the same one with more features, called as one of ours.
//!
//! Fed by somebody's `main` ([`crate::run_beside`]). Read by the help, which lists it, and by whoever calls it.
//!
//! Invariants: nothing of it is compiled before it is called, which keeps what is called after every edit small. Its arguments, its help
//! and its exit code are its own.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, ExitCode};

use crate::command::PROGRAM;
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
        run_by_cargo(self.name, &["--package".as_ref(), self.package.as_ref()], arguments)
    }
}

/// Runs the same program with the feature `bundles`, which has the subcommands that these arguments begin with. It is another build of it, so
/// that the one that is called after every edit stays small.
pub(crate) fn run_with_bundles(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let Some(package) = std::env::var_os("CARGO_MANIFEST_DIR").filter(|folder| !folder.is_empty()) else {
        anstream::eprintln!(
            "{ERROR}error:{ERROR:#} this program was built without the feature `bundles`, and is not run by cargo, which could build it with: run it as `{PROGRAM}`"
        );
        return Exit::Unusable.into();
    };
    let manifest = Path::new(&package).join("Cargo.toml");
    let selected = ["--features".as_ref(), "bundles".as_ref(), "--manifest-path".as_ref(), manifest.as_os_str()];
    run_by_cargo("the feature `bundles`", &selected, arguments)
}

/// Becomes `cargo run` of a program of the workspace.
fn run_by_cargo(what: &str, selected: &[&OsStr], arguments: impl Iterator<Item = OsString>) -> ExitCode {
    // The cargo that runs us, if one does.
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(&cargo);
    command.args(["run", "--quiet"]).args(selected).arg("--").args(arguments);
    match finish(&mut command) {
        Ok(code) => code,
        Err(error) => {
            anstream::eprintln!("{ERROR}error:{ERROR:#} {} cannot be run for {what}: {error}", cargo.display());
            Exit::Unusable.into()
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
