//! The working tree: what git knows of the folder that a release is made in.
//!
//! Invariants: only questions; nothing is written, not even the index. What a release reads is compared with the last commit byte by byte,
//! whatever git was told to overlook. Where there is no repository, that is an answer; where there is one that git cannot read, it is a fault.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::file;
use crd_diagnostics::Diagnostic;
use crd_review::gate::{FILTERED, Uncommitted};

/// Variables that would lead git away from the root or to another index; whoever is called from a hook has them.
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

/// A repository around a root.
#[derive(Debug)]
pub(crate) struct WorkingTree {
    root: PathBuf,
    /// The root within the repository: empty, or ending with `/`.
    prefix: String,
}

/// Why `git status` shows nothing of a file that is not committed.
const OVERLOOKED: &str = "git is told to overlook it";

/// The same for a tracked one.
const NOT_LOOKED_AT: &str = "git is told not to look at it";

/// The same for a link to something else.
const LINKED: &str = "it is a symlink, and what it leads to is not committed with it";

impl WorkingTree {
    /// The repository that the root lies in; none if it lies in none.
    pub(crate) fn around(root: &Path) -> Result<Option<Self>, Diagnostic> {
        // By its `.git`, a folder or a file: what git says of a broken one sounds as if there were none.
        if !root.ancestors().any(|folder| folder.join(".git").symlink_metadata().is_ok()) {
            return Ok(None);
        }
        let cannot = |why: String| {
            file::problem("git::state", root, "is in a git repository whose state cannot be read").help(why)
        };
        let output = command(root)
            .args(["rev-parse", "--is-inside-work-tree", "--show-prefix"])
            .output()
            .map_err(|error| cannot(format!("git cannot be run ({error}); install it, or add it to the `PATH`")))?;
        if !output.status.success() {
            // Such as "dubious ownership": git says itself what to do.
            return Err(cannot(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
        }
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        match text.split_once('\n') {
            Some(("true", prefix)) => {
                let prefix = prefix.strip_suffix('\n').unwrap_or(prefix).to_owned();
                Ok(Some(Self { root: root.to_owned(), prefix }))
            }
            _ => Err(cannot("it has no working tree".to_owned())),
        }
    }

    /// What is not as it is committed, sorted. `read` are the files below the root that a release reads.
    pub(crate) fn uncommitted(&self, read: &[String]) -> Result<Vec<Uncommitted>, Diagnostic> {
        let mut found = self.shown()?;
        found.extend(self.overlooked()?);
        for (path, is_tracked) in self.other_than_committed(read)? {
            if found.iter().all(|file| file.path != path) {
                let is_link = self.root.join(&path).symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
                let hidden = match is_tracked {
                    _ if is_link => LINKED,
                    true => FILTERED,
                    false => OVERLOOKED,
                };
                found.push(Uncommitted { path, is_tracked, hidden });
            }
        }
        found.sort();
        found.dedup();
        Ok(found)
    }

    /// What `git status` shows.
    fn shown(&self) -> Result<Vec<Uncommitted>, Diagnostic> {
        let bytes = self.ask(&[
            "status",
            "--porcelain=v1",
            "-z",
            "--untracked-files=all",
            "--no-renames",
            "--ignore-submodules=none",
        ])?;
        let entries = bytes.split(|byte| *byte == 0).filter(|entry| entry.len() > 3);
        Ok(entries
            .map(|entry| {
                let path = String::from_utf8_lossy(&entry[3..]).into_owned();
                let path = path.strip_prefix(&self.prefix).map_or_else(|| format!(":/{path}"), str::to_owned);
                let is_tracked = !entry.starts_with(b"??") && !entry.starts_with(b"A");
                Uncommitted { path, is_tracked, hidden: "" }
            })
            .collect())
    }

    /// Files of any kind that git was told not to look at, which sources of the types may be.
    fn overlooked(&self) -> Result<Vec<Uncommitted>, Diagnostic> {
        let bytes = self.ask(&["ls-files", "-v", "-z"])?;
        let mut found = Vec::new();
        for entry in bytes.split(|byte| *byte == 0).filter(|entry| entry.len() > 2) {
            let path = String::from_utf8_lossy(&entry[2..]).into_owned();
            // `assume-unchanged` is a small letter, `skip-worktree` an `S`, also of files that a sparse checkout does not have.
            if entry[0].is_ascii_lowercase() || entry[0] == b'S' && self.root.join(&path).exists() {
                found.push(Uncommitted { path, is_tracked: true, hidden: NOT_LOOKED_AT });
            }
        }
        Ok(found)
    }

    /// Those of these files whose bytes are not those of the last commit, and whether it has them at all.
    fn other_than_committed(&self, read: &[String]) -> Result<Vec<(String, bool)>, Diagnostic> {
        if read.is_empty() {
            return Ok(Vec::new());
        }
        let mut committed = BTreeMap::new();
        if self.has_commit() {
            let bytes = self.ask(&["ls-tree", "-r", "-z", "HEAD"])?;
            for entry in bytes.split(|byte| *byte == 0) {
                // MODE TYPE OBJECT, a tab, and the path from here.
                let text = String::from_utf8_lossy(entry).into_owned();
                if let Some((what, path)) = text.split_once('\t')
                    && let [mode, "blob", object] = *what.split(' ').collect::<Vec<_>>()
                    && mode.starts_with("100")
                {
                    committed.insert(path.to_owned(), object.to_owned());
                }
            }
        }
        // A line break in a name would be two names for git. It reads names from the top of the repository, wherever it is called.
        let is_named = |path: &&String| !path.contains('\n') && !self.prefix.contains('\n');
        let (named, odd): (Vec<&String>, Vec<&String>) = read.iter().partition(is_named);
        let input = named.iter().map(|path| format!("{}{path}\n", self.prefix)).collect::<String>();
        // As they lie there, without what `.gitattributes` and `core.autocrlf` make of them.
        let objects = self.ask_about(&["hash-object", "--no-filters", "--stdin-paths"], input.into_bytes())?;
        let objects = String::from_utf8_lossy(&objects).into_owned();
        let mut found = odd.into_iter().map(|path| (path.clone(), false)).collect::<Vec<_>>();
        for (path, object) in named.into_iter().zip(objects.lines()) {
            match committed.get(path) {
                Some(known) if known == object => {}
                known => found.push((path.clone(), known.is_some())),
            }
        }
        Ok(found)
    }

    /// When the last commit was made, in seconds after the beginning of 1970; none if there is no commit.
    pub(crate) fn last_commit(&self) -> Result<Option<i64>, Diagnostic> {
        if !self.has_commit() {
            return Ok(None);
        }
        let bytes = self.ask(&["log", "-1", "--no-show-signature", "--format=%ct", "HEAD"])?;
        let text = String::from_utf8_lossy(&bytes).trim().to_owned();
        text.parse().map(Some).map_err(|_| {
            file::problem("git::state", &self.root, format!("has a last commit with an unreadable time: {text:?}"))
                .help("pass `--date`")
        })
    }

    fn has_commit(&self) -> bool {
        let output = command(&self.root).args(["rev-parse", "--quiet", "--verify", "HEAD"]).output();
        output.is_ok_and(|output| output.status.success())
    }

    fn ask(&self, arguments: &[&str]) -> Result<Vec<u8>, Diagnostic> {
        self.answer(arguments, command(&self.root).args(arguments).output())
    }

    /// The same with something to read.
    fn ask_about(&self, arguments: &[&str], input: Vec<u8>) -> Result<Vec<u8>, Diagnostic> {
        let mut command = command(&self.root);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let run = || {
            let mut child = command.spawn()?;
            let mut stdin = child.stdin.take();
            // Beside the reading, or both pipes could fill up.
            let writer = std::thread::spawn(move || stdin.as_mut().map(|stdin| stdin.write_all(&input)));
            let output = child.wait_with_output();
            // What could not be written, git complains about.
            drop(writer.join());
            output
        };
        self.answer(arguments, run())
    }

    fn answer(&self, arguments: &[&str], output: std::io::Result<Output>) -> Result<Vec<u8>, Diagnostic> {
        let what = || format!("git {}", arguments.join(" "));
        match output {
            Ok(output) if output.status.success() => Ok(output.stdout),
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stderr);
                Err(Diagnostic::error("git::state", format!("`{}` failed: {}", what(), said.trim()))
                    .at_file(&self.root))
            }
            Err(error) => {
                Err(Diagnostic::error("git::state", format!("`{}` cannot be run: {error}", what())).at_file(&self.root))
            }
        }
    }
}

fn command(root: &Path) -> Command {
    let mut command = Command::new("git");
    command
        // Neither a hook that knows better nor a coarse look at times.
        .args(["-c", "core.fsmonitor=false", "-c", "core.checkStat=default", "-c", "core.trustctime=true", "-C"])
        .arg(root)
        .stdin(Stdio::null())
        // Messages are compared, and a question must not write the index.
        .env("LC_ALL", "C")
        .env("GIT_OPTIONAL_LOCKS", "0");
    for name in ELSEWHERE {
        command.env_remove(name);
    }
    command
}
