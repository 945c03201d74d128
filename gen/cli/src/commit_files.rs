//! The files of a commit, `git:REF:PATH`, read from git by object.
//!
//! Invariants: neither the work tree nor the index is read, and no attribute, filter or replaced object counts. PATH is relative to the current
//! folder, as every path is. Links are followed inside the repository. What is absent is not in the list of the
//! commit; a missing or damaged object is an error. One process of git reads all files.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use crd_bundle::published::limits::MOST_BYTES;
use crd_bundle::published::tree::{Entry, Tree, follow, join};
use crd_diagnostics::{Diagnostic, printable};

use crate::crd_files::Files;
use crate::session::WorkingFolder;
use crate::working_tree::git::Git;

/// How an argument of this form begins.
pub(crate) const PREFIX: &str = "git:";

/// Files of a commit.
pub(crate) struct CommitFiles {
    commit: Arc<Commit>,
    /// The root as the user named it.
    name: String,
    /// The root within the repository; not yet normalised.
    root: String,
}

/// A commit: the process that reads its objects, and the mode and object of each path.
struct Commit {
    objects: Mutex<Objects>,
    items: BTreeMap<Vec<u8>, Item>,
}

#[derive(Clone, PartialEq)]
struct Item {
    mode: String,
    object: String,
}

/// The modes of git that are no files.
const FOLDER: &str = "040000";
const LINK: &str = "120000";
const SUBMODULE: &str = "160000";

/// The predicate of a link without a target.
const NOWHERE: &str = "is a link that leads to nothing in the commit";

/// An error about a path in a commit.
fn error(name: &str, predicate: &str) -> Diagnostic {
    let path = name.rsplit(':').next().filter(|path| !path.is_empty()).unwrap_or(name);
    Diagnostic::error("git::object", format!("`{}` {predicate}", printable(path))).at_file(name)
}

/// The error of a path that the commit does not have.
pub(crate) fn missing(name: &str) -> Diagnostic {
    let commit = name.split(':').nth(1).unwrap_or_default();
    error(name, &format!("does not exist in {commit}"))
        .help("correct the path, which is relative to the current folder")
}

impl CommitFiles {
    /// Finds the commit.
    pub(crate) fn named(argument: &OsStr, from: WorkingFolder<'_>) -> Result<Self, Diagnostic> {
        let parts = argument.to_str().and_then(|text| text.strip_prefix(PREFIX)?.split_once(':'));
        let (revision, path) = parts.filter(|(revision, _)| !revision.is_empty()).ok_or_else(|| {
            let message = format!("`{}` does not name a path in a commit", printable(&argument.to_string_lossy()));
            Diagnostic::error("git::commit", message).help("write `git:REF:PATH`, such as `git:main:config/crd`")
        })?;
        Self::of(revision, revision, path, from)
    }

    /// The same, with a name of the commit for messages.
    pub(crate) fn of(name: &str, revision: &str, path: &str, from: WorkingFolder<'_>) -> Result<Self, Diagnostic> {
        let git = Git { folder: from.path.to_owned() };
        let prefix = git.folder_in_repository()?;
        let name = format!("{PREFIX}{name}:{path}");
        let tree = git.resolve(&format!("{revision}^{{tree}}")).map_err(|cause| {
            let message = format!("`{}` is not a commit of this repository{cause}", printable(revision));
            let error = Diagnostic::error("git::commit", message).at_file(&name);
            error.help("fetch it, or name another commit; a shallow clone has only the newest one")
        })?;
        let root = match Path::new(path).is_absolute() {
            false => join(&prefix, path),
            true => {
                let real = from.path.canonicalize().unwrap_or_else(|_| from.path.to_owned());
                let tops = [&*real, from.path].map(|folder| folder.ancestors().nth(prefix.matches('/').count()));
                let below = |top: &Path| Path::new(path).strip_prefix(top).ok()?.to_str();
                let below = tops.into_iter().flatten().find_map(below);
                below.ok_or_else(|| error(&name, "is outside of the repository"))?.to_owned()
            }
        };
        let listed = git.output(&["ls-tree", "-r", "-z", "--full-tree", &tree])?;
        let items = listed.split(|byte| *byte == 0).filter_map(item).collect();
        let objects = Objects::new(&git).map_err(|cause| error(&name, &format!("cannot be read: {cause}")))?;
        Ok(Self { commit: Arc::new(Commit { objects: Mutex::new(objects), items }), name, root })
    }

    /// All files of the commit, from the top of the repository.
    pub(crate) fn top(&self) -> Self {
        let commit = self.name.split(':').nth(1).unwrap_or_default();
        Self { commit: Arc::clone(&self.commit), name: format!("{PREFIX}{commit}:"), root: String::new() }
    }

    /// The bytes of an object.
    pub(crate) fn blob(&self, object: &str) -> Result<Vec<u8>, String> {
        self.commit.blob(object)
    }

    /// Where a path leads in the repository.
    fn follow(&self, path: &str) -> Result<String, Diagnostic> {
        self.follow_in_repository(&join(&self.root, path), path)
    }

    fn follow_in_repository(&self, full: &str, path: &str) -> Result<String, Diagnostic> {
        let shown = self.shown(path);
        let link = |path: &str| self.commit.link(path).map_err(|cause| error(&shown, &cause));
        let lost = |predicate: &str| {
            let predicate = predicate.replace(" of it", " of the repository");
            error(&shown, &predicate).help("name a path inside the repository; links out of it are not followed")
        };
        follow(full, &link, &lost)
    }

    /// Whether a path that does not exist is missing because of a link to nothing.
    fn is_dangling(&self, path: &str) -> Result<bool, Diagnostic> {
        let full = join(&self.root, path);
        let ends = full.match_indices('/').map(|(end, _)| end).chain([full.len()]);
        for above in ends.map(|end| &full[..end]) {
            if self.commit.item(&self.follow_in_repository(above, path)?).is_none() {
                let (folder, name) = above.rsplit_once('/').unwrap_or(("", above));
                let unfollowed = join(&self.follow_in_repository(folder, path)?, name);
                return Ok(self.commit.item(&unfollowed).is_some());
            }
        }
        Ok(false)
    }

    /// What a path leads to, with the name of its object.
    fn found(&self, path: &str) -> Result<Option<(Entry, String)>, Diagnostic> {
        let Some(Item { mode, object }) = self.commit.item(&self.follow(path)?) else { return Ok(None) };
        let entry = match &*mode {
            FOLDER => Entry::Folder,
            SUBMODULE => {
                let error = error(&self.shown(path), "is a submodule, whose files are not in the commit");
                Entry::Unreadable(
                    error.help("leave it out with `--skip`, or name a path in the submodule's repository"),
                )
            }
            _ => Entry::File,
        };
        Ok(Some((entry, object)))
    }

    /// What a name in a folder is.
    fn entry_of(&self, path: &str, is_link: bool) -> Entry {
        let lost = |predicate: &str| Entry::Unreadable(error(&self.shown(path), predicate));
        match self.found(path) {
            Ok(Some((Entry::Folder, _))) if is_link && self.is_loop(path) => {
                lost("is a link to a folder that it is in")
            }
            Ok(Some((entry, _))) => entry,
            Ok(None) => lost(NOWHERE),
            Err(error) => Entry::Unreadable(error),
        }
    }

    /// Whether a link leads to a folder that it is in.
    fn is_loop(&self, path: &str) -> bool {
        let real = self.real(path);
        let mut above = path.match_indices('/').map(|(end, _)| &path[..end]).chain([""]);
        above.any(|above| self.real(above) == real)
    }
}

impl Files for CommitFiles {
    fn at<'s>(&'s self, path: &str) -> Box<dyn Files + 's> {
        let (name, root) = (self.shown(path), join(&self.root, path));
        Box::new(Self { commit: Arc::clone(&self.commit), name, root })
    }

    fn disk(&self) -> Option<&Path> {
        None
    }
}

impl Tree for CommitFiles {
    fn entries(&self, folder: &str) -> Result<Vec<(String, Entry)>, Diagnostic> {
        let real = self.follow(folder)?;
        let prefix = if real.is_empty() { real } else { format!("{real}/") };
        let mut entries = BTreeMap::new();
        for (path, item) in self.commit.below(&prefix) {
            let name = path[prefix.len()..].split(|byte| *byte == b'/').next().unwrap_or_default();
            entries.entry(name).or_insert_with(|| match str::from_utf8(name) {
                Ok(name) => self.entry_of(&join(folder, name), item.mode == LINK),
                Err(_) => {
                    let name = join(folder, &String::from_utf8_lossy(name));
                    Entry::Unreadable(error(&self.shown(&name), "has a name that is not UTF-8"))
                }
            });
        }
        let entries = entries.into_iter().map(|(name, entry)| (String::from_utf8_lossy(name).into_owned(), entry));
        Ok(entries.collect())
    }

    fn entry(&self, path: &str) -> Option<Entry> {
        match self.found(path) {
            Ok(Some((entry, _))) => Some(entry),
            Ok(None) => match self.is_dangling(path) {
                Ok(false) => None,
                Ok(true) => Some(Entry::Unreadable(error(&self.shown(path), NOWHERE))),
                Err(error) => Some(Entry::Unreadable(error)),
            },
            Err(error) => Some(Entry::Unreadable(error)),
        }
    }

    fn bytes(&self, file: &str) -> Result<Vec<u8>, Diagnostic> {
        let found = self.found(file)?.ok_or_else(|| missing(&self.shown(file)))?;
        self.commit.blob(&found.1).map_err(|cause| error(&self.shown(file), &cause))
    }

    fn shown(&self, path: &str) -> String {
        match path {
            "" => self.name.clone(),
            path if self.name.ends_with([':', '/']) => format!("{}{path}", self.name),
            path => format!("{}/{path}", self.name),
        }
    }

    fn real(&self, path: &str) -> String {
        self.follow(path).unwrap_or_else(|_| path.to_owned())
    }
}

impl Commit {
    /// What is at a path, without following links.
    fn item(&self, real: &str) -> Option<Item> {
        let folder = || Item { mode: FOLDER.to_owned(), object: String::new() };
        let is_folder = real.is_empty() || self.below(&format!("{real}/")).next().is_some();
        self.items.get(real.as_bytes()).cloned().or_else(|| is_folder.then(folder))
    }

    fn below(&self, prefix: &str) -> impl Iterator<Item = (&Vec<u8>, &Item)> {
        self.items.range(prefix.as_bytes().to_vec()..).take_while(move |(path, _)| path.starts_with(prefix.as_bytes()))
    }

    /// The target of a link.
    fn link(&self, path: &str) -> Result<Option<String>, String> {
        let Some(item) = self.items.get(path.as_bytes()).filter(|item| item.mode == LINK) else { return Ok(None) };
        let target = String::from_utf8(self.blob(&item.object)?);
        target.map(Some).map_err(|_| "is a link to a name that is not UTF-8".to_owned())
    }

    fn blob(&self, object: &str) -> Result<Vec<u8>, String> {
        self.objects.lock().unwrap_or_else(PoisonError::into_inner).read(object)
    }
}

/// An entry of `git ls-tree`: MODE TYPE OBJECT, a tab, and the path.
fn item(entry: &[u8]) -> Option<(Vec<u8>, Item)> {
    let tab = entry.iter().position(|byte| *byte == b'\t')?;
    let (state, path) = entry.split_at(tab);
    let [mode, _, object] = *str::from_utf8(state).ok()?.split(' ').collect::<Vec<_>>() else { return None };
    Some((path[1..].to_vec(), Item { mode: mode.to_owned(), object: object.to_owned() }))
}

/// `git cat-file --batch`.
struct Objects {
    process: Child,
    names: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    errors: Option<JoinHandle<String>>,
}

impl Objects {
    fn new(git: &Git) -> io::Result<Self> {
        let mut command = git.command(&["cat-file", "--batch"]);
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let no_pipe = || io::Error::other("no pipe");
        let answers = BufReader::new(process.stdout.take().ok_or_else(no_pipe)?);
        let (names, errors) = (process.stdin.take(), process.stderr.take());
        // In a thread of its own, because both pipes can be full.
        let errors = errors.map(|mut errors| {
            thread::spawn(move || {
                let mut bytes = Vec::new();
                let _ = errors.read_to_end(&mut bytes);
                String::from_utf8_lossy(&bytes).trim().to_owned()
            })
        });
        Ok(Self { process, names, answers, errors })
    }

    /// A file, and of a large one the first bytes. The error is a predicate.
    fn read(&mut self, object: &str) -> Result<Vec<u8>, String> {
        match self.answer(object) {
            Ok(Some(bytes)) => Ok(bytes),
            Ok(None) => Err(format!("cannot be read: git has no object {object}; the clone is not complete")),
            Err(cause) => {
                self.names = None;
                let errors = self.errors.take().and_then(|errors| errors.join().ok()).unwrap_or_default();
                let cause = if errors.is_empty() { cause.to_string() } else { errors };
                Err(format!("cannot be read: the object {object} is damaged or missing: {}", printable(&cause)))
            }
        }
    }

    fn answer(&mut self, object: &str) -> io::Result<Option<Vec<u8>>> {
        let closed = || io::Error::other("git has ended");
        writeln!(self.names.as_mut().ok_or_else(closed)?, "{object}")?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        if line.trim_end().ends_with(" missing") {
            return Ok(None);
        }
        let size = line.trim_end().strip_prefix(object).and_then(|rest| rest.strip_prefix(" blob "));
        let size = size.and_then(|size| size.parse::<u64>().ok()).ok_or_else(closed)?;
        let (kept, mut bytes) = (size.min(MOST_BYTES as u64 + 1), Vec::new());
        self.answers.by_ref().take(kept).read_to_end(&mut bytes)?;
        let rest = io::copy(&mut self.answers.by_ref().take(size - kept + 1), &mut io::sink())?;
        if bytes.len() as u64 == kept && rest == size - kept + 1 { Ok(Some(bytes)) } else { Err(closed()) }
    }
}

impl Drop for Objects {
    fn drop(&mut self) {
        // git ends at the end of its input.
        self.names = None;
        let _ = self.process.wait();
    }
}
