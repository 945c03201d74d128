//! Runs git in a folder.
//!
//! Invariants: git writes nothing, and reads the repository of the folder whatever its environment and settings are.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::thread;

use crd_diagnostics::Diagnostic;

/// Variables that name another repository or index. Hooks of git set them.
const ELSEWHERE: [&str; 9] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_PREFIX",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_LITERAL_PATHSPECS",
];

/// git in a folder.
#[derive(Debug)]
pub(crate) struct Git {
    pub(crate) folder: PathBuf,
}

impl Git {
    /// Whether the repository has a commit.
    pub(super) fn has_commit(&self) -> bool {
        self.run(&["rev-parse", "--quiet", "--verify", "HEAD"]).is_ok_and(|output| output.status.success())
    }

    /// The folder, relative to the top of its repository; empty, or with `/` at the end.
    pub(crate) fn folder_in_repository(&self) -> Result<String, Diagnostic> {
        let prefix = String::from_utf8(self.output(&["rev-parse", "--show-prefix"])?);
        let prefix = prefix.map_err(|_| {
            Diagnostic::error("git::state", "the path in the repository is not UTF-8").at_file(&self.folder)
        })?;
        Ok(prefix.strip_suffix('\n').unwrap_or_default().to_owned())
    }

    /// The name of an object; the error is what git reports about damaged ones.
    pub(crate) fn resolve(&self, revision: &str) -> Result<String, String> {
        let output = self.run(&["rev-parse", "--verify", revision]).map_err(|error| format!(": {error}"))?;
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        match output.status.success() && !revision.starts_with('-') {
            true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
            false => {
                Err(errors.lines().filter(|line| line.starts_with("error")).map(|line| format!(": {line}")).collect())
            }
        }
    }

    /// Runs git, whether it succeeds or not.
    pub(crate) fn run(&self, arguments: &[&str]) -> io::Result<Output> {
        self.command(arguments).output()
    }

    /// The standard output of git. A failure is an error.
    pub(crate) fn output(&self, arguments: &[&str]) -> Result<Vec<u8>, Diagnostic> {
        self.successful(arguments, self.run(arguments))
    }

    /// The standard output of git with this standard input.
    pub(super) fn output_of(&self, arguments: &[&str], input: Vec<u8>) -> Result<Vec<u8>, Diagnostic> {
        let run = || {
            let mut command = self.command(arguments);
            let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
            let mut stdin = child.stdin.take();
            // In a thread of its own, because both pipes can be full.
            let writer = thread::spawn(move || stdin.as_mut().map(|stdin| stdin.write_all(&input)));
            let output = child.wait_with_output();
            // git reports an input that it could not read.
            drop(writer.join());
            output
        };
        self.successful(arguments, run())
    }

    fn successful(&self, arguments: &[&str], output: io::Result<Output>) -> Result<Vec<u8>, Diagnostic> {
        let cause = match output {
            Ok(output) if output.status.success() => return Ok(output.stdout),
            Ok(output) => format!("failed: {}", String::from_utf8_lossy(&output.stderr).trim()),
            Err(error) => format!("cannot be run: {error}"),
        };
        let message = format!("`git {}` {cause}", arguments.join(" "));
        Err(Diagnostic::error("git::state", message).at_file(&self.folder))
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command
            // No file system monitor, and exact comparison of times.
            .args(["-c", "core.fsmonitor=false", "-c", "core.checkStat=default", "-c", "core.trustctime=true", "-C"])
            .arg(&self.folder)
            .args(arguments)
            .stdin(Stdio::null())
            // English messages, no update of the index, objects as they are committed, and no question.
            .env("LC_ALL", "C")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("GIT_TERMINAL_PROMPT", "0");
        for name in ELSEWHERE {
            command.env_remove(name);
        }
        command
    }
}
