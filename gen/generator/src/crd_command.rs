//! The command of the setting `run`, which writes the CRDs of types that are not in Rust.
//!
//! Invariants: only `generate` runs it, and not with `--check`. What it prints is shown if it fails.

use std::path::Path;
use std::process::{Command, Stdio};

use crd_diagnostics::{Diagnostic, printable};
use crd_generate::settings::FILE_NAME;

use crate::root;
use crate::session::Session;
use crate::settings::Project;

/// The last lines of output that an error shows.
const MOST_LINES: usize = 20;
const CODE: &str = "generate::run";

/// Runs the command in the root, if the settings name one.
///
/// # Errors
/// Settings that cannot be read, and a command that does not start or fails.
pub(crate) fn run(explicit_root: Option<&Path>, session: &Session<'_>) -> Result<(), Vec<Diagnostic>> {
    let project = Project::read(None, explicit_root, session)?;
    let Some(line) = &project.settings.division.run else { return Ok(()) };
    let root = root::locate(explicit_root, session)?;
    session.begin(format_args!("running `{line}`"));
    let (shell, option) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let output = Command::new(shell).args([option, line]).current_dir(&root).stdin(Stdio::null()).output();
    let failed = |predicate: String| {
        let error = Diagnostic::error(CODE, format!("the command `{line}` {predicate}"));
        Vec::from([error.at_file(root.join(FILE_NAME))])
    };
    let output = output.map_err(|error| failed(format!("cannot be run: {}", error)))?;
    if output.status.success() {
        return Ok(());
    }
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect::<Vec<_>>();
    let last = &lines[lines.len().saturating_sub(MOST_LINES)..];
    let shown = last.iter().map(|line| printable(line)).collect::<Vec<_>>().join("\n");
    let errors = failed(format!("failed ({})", output.status)).into_iter();
    Err(errors.map(|error| error.help(format!("its output ends with:\n{shown}"))).collect())
}
