//! The working tree: what git knows of the folder that a release is made in.
//!
//! Fed with the root. Read by the gate of the release, and by whoever needs a moment that is no clock's.
//!
//! Invariants: only questions; nothing is written, not even the index. Where there is no git, or no repository, that is an answer.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::fault::Fault;

/// A repository around a root.
#[derive(Debug)]
pub(crate) struct WorkingTree {
    root: PathBuf,
    /// The root within the repository: empty, or ending with `/`.
    prefix: String,
}

impl WorkingTree {
    /// The repository that the root lies in; none if there is no repository or no git.
    pub(crate) fn around(root: &Path) -> Result<Option<Self>, Fault> {
        let Ok(output) = command(root).args(["rev-parse", "--is-inside-work-tree", "--show-prefix"]).output() else {
            return Ok(None);
        };
        let said = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            return match said.contains("not a git repository") {
                true => Ok(None),
                // Such as "dubious ownership": git says itself what to do.
                false => Err(Fault::file(root, format!("git cannot read the repository: {}", said.trim()))),
            };
        }
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut lines = text.lines();
        match lines.next() {
            Some("true") => {
                let prefix = lines.next().unwrap_or_default().to_owned();
                Ok(Some(Self { root: root.to_owned(), prefix }))
            }
            _ => Ok(None),
        }
    }

    /// What is changed, added or unknown to git, relative to the root where it lies below it, else as the repository calls it. In git's
    /// order.
    pub(crate) fn uncommitted(&self) -> Result<Vec<String>, Fault> {
        let bytes = self.ask(&["status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames"])?;
        let entries = bytes.split(|byte| *byte == 0).filter(|entry| entry.len() > 3);
        let paths = entries.map(|entry| String::from_utf8_lossy(&entry[3..]).into_owned());
        Ok(paths.map(|path| path.strip_prefix(&self.prefix).map(str::to_owned).unwrap_or(path)).collect())
    }

    /// When the last commit was made, in seconds after the beginning of 1970; none if there is no commit.
    pub(crate) fn last_commit(&self) -> Result<Option<i64>, Fault> {
        let has_commit = command(&self.root).args(["rev-parse", "--quiet", "--verify", "HEAD"]).output();
        if !has_commit.is_ok_and(|output| output.status.success()) {
            return Ok(None);
        }
        let text = self.ask(&["log", "-1", "--format=%ct", "HEAD"])?;
        Ok(String::from_utf8_lossy(&text).trim().parse().ok())
    }

    fn ask(&self, arguments: &[&str]) -> Result<Vec<u8>, Fault> {
        let what = || format!("git {}", arguments.join(" "));
        match command(&self.root).args(arguments).output() {
            Ok(output) if output.status.success() => Ok(output.stdout),
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stderr);
                Err(Fault::file(&self.root, format!("`{}` failed: {}", what(), said.trim())))
            }
            Err(error) => Err(Fault::file(&self.root, format!("`{}` cannot be run: {error}", what()))),
        }
    }
}

fn command(root: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(root)
        .stdin(Stdio::null())
        // Messages are compared, and a question must not write the index.
        .env("LC_ALL", "C")
        .env("GIT_OPTIONAL_LOCKS", "0");
    command
}
