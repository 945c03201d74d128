//! Subcommand packages: subcommands that the program of another package of the workspace has.
//!
//! Invariants: nothing of them is compiled before they are called, so that the edit loop (`cargo xtask generate`) stays short. Arguments,
//! help and exit codes are those of the other program. A build that takes long is announced on stderr.

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus, Stdio};

use crd_diagnostics::{Diagnostic, text};

use crate::activity::Activity;
use crate::exit::Exit;

/// A subcommand of another package of the workspace: `cargo xtask NAME …` runs `cargo run --package PACKAGE -- …`.
#[derive(Clone, Copy, Debug)]
pub struct SubcommandPackage {
    /// The name of the subcommand.
    pub name: &'static str,
    /// Its line in the help.
    pub about: &'static str,
    /// The package whose program it is.
    pub package: &'static str,
}

impl SubcommandPackage {
    /// Runs it with these arguments.
    pub fn run(&self, arguments: impl Iterator<Item = OsString>) -> ExitCode {
        run_package(self.package, self.name, arguments.collect())
    }
}

/// The package of a workspace whose program has every subcommand of an `xtask`.
const XTASK: &str = "xtask";

/// Runs the program that has every subcommand.
pub(crate) fn run_xtask(name: &OsStr, arguments: Vec<OsString>) -> ExitCode {
    // It would call itself again and again.
    if std::env::var_os("CARGO_PKG_NAME").is_some_and(|package| package == XTASK) {
        return unusable(not_compiled_in(&name.to_string_lossy()));
    }
    run_package(XTASK, "the package `xtask`", arguments)
}

/// The error for a subcommand that the program does not have.
pub(crate) fn not_compiled_in(name: &str) -> Diagnostic {
    Diagnostic::error("usage::generator-only", format!("this program was built without `{name}`")).help(
        "let the package `xtask` depend on crd-channels-cli, and its own package `xtask-generator` on crd-generator",
    )
}

/// Builds the program of a package of the workspace, and becomes `cargo run` of it.
fn run_package(package: &str, what: &str, arguments: Vec<OsString>) -> ExitCode {
    // The cargo that runs this program, if one does.
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // The workspace of the package that cargo runs, in any current folder.
    let own = std::env::var_os("CARGO_MANIFEST_DIR").filter(|folder| !folder.is_empty());
    let manifest = own.map(|folder| Path::new(&folder).join("Cargo.toml"));
    let command = |name: &str| {
        let mut command = Command::new(&cargo);
        command.args([name, "--quiet", "--package", package]);
        if let Some(manifest) = &manifest {
            command.arg("--manifest-path").arg(manifest);
        }
        command
    };
    let is_quiet = arguments.iter().any(|argument| ["-q", "--quiet"].iter().any(|quiet| argument == quiet));
    build(what, is_quiet, &mut command("build"))
        .and_then(|failed| match failed {
            Some(code) => Ok(code),
            None => finish(command("run").arg("--").args(arguments)),
        })
        .unwrap_or_else(|error| {
            let message = format!("cannot run {} for {what}: {error}", cargo.display());
            unusable(Diagnostic::error("usage::cargo", message).help("install cargo, or add it to the `PATH`"))
        })
}

/// Builds the program, so that the wait for its code, or for another cargo, is announced. The exit code of a failure.
fn build(what: &str, is_quiet: bool, command: &mut Command) -> std::io::Result<Option<ExitCode>> {
    let activity = Activity::of_process().filter(|_| !is_quiet);
    if let Some(activity) = &activity {
        activity
            .begin(format!("cargo builds {what}: the first build takes some minutes, and another cargo can delay it"));
    }
    // Standard input belongs to the program.
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status()?;
    Ok((!status.success()).then(|| exit_code(status)))
}

fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    code.map_or(ExitCode::FAILURE, ExitCode::from)
}

fn unusable(diagnostic: Diagnostic) -> ExitCode {
    // If stderr cannot be written, the exit code remains.
    let _ = write!(anstream::stderr(), "{}", text::render(&diagnostic));
    Exit::Unusable.into()
}

/// Becomes the command, as cargo does: one process, which receives every signal itself.
#[cfg(unix)]
fn finish(command: &mut Command) -> std::io::Result<ExitCode> {
    Err(std::os::unix::process::CommandExt::exec(command))
}

#[cfg(not(unix))]
fn finish(command: &mut Command) -> std::io::Result<ExitCode> {
    command.status().map(exit_code)
}
