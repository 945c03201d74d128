//! Subcommand packages: subcommands that another package of the workspace has, or the same package with more features.
//!
//! Invariants: nothing of them is compiled before they are called, so that the edit loop (`cargo xtask generate`) stays short. Arguments,
//! help and exit codes are those of the other program. A build that takes long is announced on stderr.
//!
//! Why the feature `bundles` is built by a second call of cargo, although the program `crd-channels` exists: `check`, `tombstones` and
//! `release` need both the types and all of the command line. Without the feature, each edit of a type would link that too.

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus, Stdio};

use crd_diagnostics::{Diagnostic, text};

use crate::activity::Activity;
use crate::exit::Exit;
use crate::program::Program;

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
    pub(crate) fn run(&self, arguments: impl Iterator<Item = OsString>) -> ExitCode {
        run_by_cargo(self.name, &["--package".as_ref(), self.package.as_ref()], arguments.collect())
    }
}

/// Runs the same program with the feature `bundles`, which contains the subcommand that these arguments name.
pub(crate) fn run_with_bundles(arguments: Vec<OsString>) -> ExitCode {
    let Some(package) = std::env::var_os("CARGO_MANIFEST_DIR").filter(|folder| !folder.is_empty()) else {
        let call = Program::Xtask.call();
        return unusable(
            Diagnostic::error("usage::without-bundles", "this program was built without the feature `bundles`")
                .help(format!("run it as `{call}`, so that cargo builds the feature")),
        );
    };
    let manifest = Path::new(&package).join("Cargo.toml");
    let selected = ["--features".as_ref(), "bundles".as_ref(), "--manifest-path".as_ref(), manifest.as_os_str()];
    run_by_cargo("the feature `bundles`", &selected, arguments)
}

/// Builds a program of the workspace, and becomes `cargo run` of it.
fn run_by_cargo(what: &str, selected: &[&OsStr], arguments: Vec<OsString>) -> ExitCode {
    // The cargo that runs this program, if one does.
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let command = |name: &str| {
        let mut command = Command::new(&cargo);
        command.args([name, "--quiet"]).args(selected);
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
