//! The git repository around the root of a release.
//!
//! Invariants: nothing is written, not even the index. The files that a release reads are compared with the last commit byte by byte,
//! independent of git's settings. A missing repository is not an error; one that git cannot read is.

pub(crate) mod git;

use std::collections::BTreeMap;
use std::path::Path;

use crd_diagnostics::Diagnostic;
use crd_generator::file;
use crd_review::gate::{FILTERED, Uncommitted};

use crate::walk;
use git::Git;

/// A repository around a root.
#[derive(Debug)]
pub(crate) struct WorkingTree {
    git: Git,
    /// The root within the repository: empty, or ending with `/`.
    prefix: String,
}

/// Why `git status` does not show an untracked file.
const IGNORED: &str = "git ignores it";

/// Why it does not show a tracked file.
const SKIPPED: &str = "git does not compare it: `assume-unchanged` or `skip-worktree` is set";

/// Why it does not show a symlink.
const LINKED: &str = "it is a symlink, whose target is not committed with it";

impl WorkingTree {
    /// The repository that contains the root, if one does.
    pub(crate) fn around(root: &Path) -> Result<Option<Self>, Diagnostic> {
        // A `.git` is a folder or a file. For a broken repository, git prints the same message as for a missing one.
        if !root.ancestors().any(|folder| folder.join(".git").symlink_metadata().is_ok()) {
            return Ok(None);
        }
        let cannot = |why: String| {
            file::error("git::state", root, "is in a git repository whose state cannot be read").help(why)
        };
        let git = Git::alone(root);
        let output = git
            .run(&["rev-parse", "--is-inside-work-tree", "--show-prefix"])
            .map_err(|error| cannot(format!("git cannot be run ({error}); install it, or add it to the `PATH`")))?;
        if !output.status.success() {
            // Such as "dubious ownership": the message contains the fix.
            return Err(cannot(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
        }
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        match text.split_once('\n') {
            Some(("true", prefix)) => {
                let prefix = prefix.strip_suffix('\n').unwrap_or(prefix).to_owned();
                Ok(Some(Self { git, prefix }))
            }
            _ => Err(cannot("it has no working tree".to_owned())),
        }
    }

    /// The files that differ from the last commit, sorted. `inputs` are the files in the root that a release reads.
    pub(crate) fn uncommitted(&self, inputs: &[String]) -> Result<Vec<Uncommitted>, Diagnostic> {
        let mut found = self.shown()?;
        found.extend(self.skipped()?);
        for (path, is_tracked) in self.differing(inputs)? {
            if found.iter().all(|file| file.path != path) {
                let is_link =
                    self.git.folder.join(&path).symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
                let hidden = match is_tracked {
                    _ if is_link => LINKED,
                    true => FILTERED,
                    false => IGNORED,
                };
                found.push(Uncommitted { path, is_tracked, hidden });
            }
        }
        found.sort();
        found.dedup();
        Ok(found)
    }

    /// The files that `git status` shows.
    fn shown(&self) -> Result<Vec<Uncommitted>, Diagnostic> {
        let bytes = self.git.output(&[
            "status",
            "--porcelain=v1",
            "-z",
            "--untracked-files=all",
            "--no-renames",
            "--ignore-submodules=none",
        ])?;
        let entries = bytes.split(|byte| *byte == 0).filter(|entry| entry.len() > 3);
        let files = entries.map(|entry| {
            let path = String::from_utf8_lossy(&entry[3..]).into_owned();
            let path = path.strip_prefix(&self.prefix).map_or_else(|| format!(":/{path}"), str::to_owned);
            let is_tracked = !entry.starts_with(b"??") && !entry.starts_with(b"A");
            Uncommitted { path, is_tracked, hidden: "" }
        });
        let is_incidental = |file: &Uncommitted| Path::new(&file.path).file_name().is_some_and(walk::is_incidental);
        Ok(files.filter(|file| file.is_tracked || !is_incidental(file)).collect())
    }

    /// The tracked files that git does not compare. The sources of the types can be among them.
    fn skipped(&self) -> Result<Vec<Uncommitted>, Diagnostic> {
        let bytes = self.git.output(&["ls-files", "-v", "-z"])?;
        let mut found = Vec::new();
        for entry in bytes.split(|byte| *byte == 0).filter(|entry| entry.len() > 2) {
            let path = String::from_utf8_lossy(&entry[2..]).into_owned();
            // `assume-unchanged` is a lower-case letter, and `skip-worktree` an `S`, also for files outside a sparse checkout.
            if entry[0].is_ascii_lowercase() || entry[0] == b'S' && self.git.folder.join(&path).exists() {
                found.push(Uncommitted { path, is_tracked: true, hidden: SKIPPED });
            }
        }
        Ok(found)
    }

    /// The inputs whose bytes differ from the last commit, and whether it has the file.
    fn differing(&self, inputs: &[String]) -> Result<Vec<(String, bool)>, Diagnostic> {
        if inputs.is_empty() {
            return Ok(Vec::new());
        }
        let mut committed = BTreeMap::new();
        if self.git.has_commit() {
            let bytes = self.git.output(&["ls-tree", "-r", "-z", "HEAD"])?;
            for entry in bytes.split(|byte| *byte == 0) {
                // MODE TYPE OBJECT, a tab, and the path relative to the root.
                let text = String::from_utf8_lossy(entry).into_owned();
                if let Some((object, path)) = text.split_once('\t')
                    && let [mode, "blob", object] = *object.split(' ').collect::<Vec<_>>()
                    && mode.starts_with("100")
                {
                    committed.insert(path.to_owned(), object.to_owned());
                }
            }
        }
        // git reads one name on each line, relative to the top of the repository.
        let is_named = |path: &&String| !path.contains('\n') && !self.prefix.contains('\n');
        let (named, odd): (Vec<&String>, Vec<&String>) = inputs.iter().partition(is_named);
        let input = named.iter().map(|path| format!("{}{path}\n", self.prefix)).collect::<String>();
        // The bytes of the files, without the filters of `.gitattributes` and `core.autocrlf`.
        let objects = self.git.output_of(&["hash-object", "--no-filters", "--stdin-paths"], input.into_bytes())?;
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

    /// The bytes of a file in a revision. The path is relative to the root.
    pub(crate) fn bytes(&self, revision: &str, path: &str) -> Option<Vec<u8>> {
        let output = self.git.run(&["cat-file", "blob", &format!("{revision}:./{path}")]).ok()?;
        output.status.success().then_some(output.stdout)
    }

    /// The last commits of all branches that changed a file, newest first. The path is relative to the root.
    pub(crate) fn commits_of(&self, path: &str) -> Vec<String> {
        let output = self.git.output(&["log", "--all", "--no-show-signature", "--format=%h", "-50", "--", path]);
        let text = String::from_utf8_lossy(&output.unwrap_or_default()).into_owned();
        text.lines().map(str::to_owned).collect()
    }

    /// The time of the last commit in seconds after the beginning of 1970, if there is a commit.
    pub(crate) fn last_commit(&self) -> Result<Option<i64>, Diagnostic> {
        if !self.git.has_commit() {
            return Ok(None);
        }
        let bytes = self.git.output(&["log", "-1", "--no-show-signature", "--format=%ct", "HEAD"])?;
        let text = String::from_utf8_lossy(&bytes).trim().to_owned();
        text.parse().map(Some).map_err(|_| {
            file::error("git::state", &self.git.folder, format!("has a last commit with an unreadable time: {text:?}"))
                .help("pass `--date`")
        })
    }
}
