//! The files of a commit, `git:REF:PATH`, read from git by object.
//!
//! Invariants: neither the work tree nor the index is read, and no attribute, filter or replaced object counts. PATH is relative to the current
//! folder, as every path is. Links are followed inside the repository. What is absent is not in the list of the commit; a missing or damaged object
//! is an error.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use crd_bundle::BundleVersion;
use crd_bundle::published::skips::Skips;
use crd_bundle::published::tree::{Entry, Tree, follow, join};
use crd_diagnostics::{Diagnostic, printable};
use crd_generator::session::WorkingFolder;
use crd_model::parallel;
use crd_review::releases::version;

use crate::files::Files;
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
    skips: Skips,
}

/// A commit: the mode and the object of each path. A path that is not UTF-8 is here without an object.
struct Commit {
    git: Git,
    items: BTreeMap<String, Option<(String, String)>>,
    /// What was read, by object: most files of a repository are the same in the next release.
    blobs: Arc<Mutex<HashMap<String, Vec<u8>>>>,
}

/// The place of a path in a repository.
struct Root {
    git: Git,
    path: String,
}

/// The modes of git that are not those of files.
const LINK: &str = "120000";
const SUBMODULE: &str = "160000";

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
    pub(crate) fn named(argument: &OsStr, from: WorkingFolder<'_>) -> Result<Self, Diagnostic> {
        let parts = argument.to_str().and_then(|text| text.strip_prefix(PREFIX)?.split_once(':'));
        let (revision, path) = parts.filter(|(revision, _)| !revision.is_empty()).ok_or_else(|| {
            let message = format!("`{}` does not name a path in a commit", printable(&argument.to_string_lossy()));
            Diagnostic::error("git::commit", message).help("write `git:REF:PATH`, such as `git:main:config/crd`")
        })?;
        Self::of(revision, revision, path, from)
    }

    /// The same without what is left out by name.
    pub(crate) fn without(self, skips: &Skips) -> Self {
        Self { skips: skips.clone(), ..self }
    }

    /// The files of a commit with a name for messages.
    pub(crate) fn of(name: &str, revision: &str, path: &str, from: WorkingFolder<'_>) -> Result<Self, Diagnostic> {
        Self::at_commit(name, revision, path, &Root::new(name, path, from)?, &Arc::default())
    }

    /// The same path in several commits, each with its name for messages. What is the same in them is read once.
    pub(crate) fn of_each(
        commits: &[(&str, &str)],
        path: &str,
        from: WorkingFolder<'_>,
    ) -> Result<Vec<Result<Self, Diagnostic>>, Diagnostic> {
        let Some((name, _)) = commits.first() else { return Ok(Vec::new()) };
        let (root, blobs) = (Root::new(name, path, from)?, Arc::default());
        Ok(parallel::each(commits, |(name, revision)| Self::at_commit(name, revision, path, &root, &blobs)))
    }

    fn at_commit(
        name: &str,
        revision: &str,
        path: &str,
        root: &Root,
        blobs: &Arc<Mutex<HashMap<String, Vec<u8>>>>,
    ) -> Result<Self, Diagnostic> {
        let name = format!("{PREFIX}{name}:{path}");
        let git = root.git.clone();
        let tree = git.resolve(&format!("{revision}^{{tree}}")).map_err(|cause| {
            let message = format!("`{}` is not a commit of this repository{cause}", printable(revision));
            let error = Diagnostic::error("git::commit", message).at_file(&name);
            error.help("fetch it, or name another commit; a shallow clone has only the newest one")
        })?;
        let listed = git.output(&["ls-tree", "-r", "-z", "--full-tree", &tree])?;
        let items = listed.split(|byte| *byte == 0).filter_map(item).collect();
        let commit = Commit { git, items, blobs: Arc::clone(blobs) };
        Ok(Self { commit: Arc::new(commit), name, root: root.path.clone(), skips: Skips::default() })
    }

    /// All files of the commit, from the top of the repository.
    pub(crate) fn top(&self) -> Self {
        let name = format!("{PREFIX}{}:", self.name.split(':').nth(1).unwrap_or_default());
        let commit = Arc::clone(&self.commit);
        Self { commit, name, root: String::new(), skips: Skips::default() }
    }

    /// The bytes of an object. The error is a predicate.
    pub(crate) fn blob(&self, object: &str) -> Result<Vec<u8>, String> {
        let known = || self.commit.blobs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = known().get(object) {
            return Ok(bytes.clone());
        }
        let bytes = self.commit.git.output(&["cat-file", "blob", object]).map_err(|error| {
            format!("cannot be read; the clone is not complete, or damaged: {}", printable(&error.message))
        })?;
        known().insert(object.to_owned(), bytes.clone());
        Ok(bytes)
    }

    /// Where a path leads in the repository.
    fn follow(&self, path: &str) -> Result<String, Diagnostic> {
        let shown = self.shown(path);
        let target = |path: &str| match self.commit.items.get(path) {
            Some(Some((mode, object))) if mode == LINK => {
                let target = self.blob(object).map_err(|cause| error(&shown, &cause))?;
                Ok(Some(String::from_utf8_lossy(&target).into_owned()))
            }
            _ => Ok(None),
        };
        let lost = |predicate: &str| {
            let predicate = predicate.replace(" of it", " of the repository");
            error(&shown, &predicate).help("name a path inside the repository; links out of it are not followed")
        };
        follow(&join(&self.root, path), &target, &lost)
    }

    /// What a path leads to, and the name of its object.
    fn found(&self, path: &str) -> Result<Option<(Entry, &str)>, Diagnostic> {
        let real = self.follow(path)?;
        match self.commit.items.get(&real) {
            Some(Some((mode, _))) if mode == SUBMODULE => {
                let error = error(&self.shown(path), "is a submodule, whose files are not in the commit");
                Err(error.help("leave it out with `--skip`, or name a path in the submodule's repository"))
            }
            Some(Some((_, object))) => Ok(Some((Entry::File, object))),
            Some(None) => Err(error(&self.shown(path), "has a name that is not UTF-8")),
            None if self.commit.names(&real).next().is_some() => {
                let mut above = path.match_indices('/').map(|(end, _)| &path[..end]).chain([""]);
                match !path.is_empty() && above.any(|above| self.real(above) == real) {
                    true => Err(error(&self.shown(path), "is a link to a folder that it is in")),
                    false => Ok(Some((Entry::Folder, ""))),
                }
            }
            None => self.absent(&join(&self.root, path), path).map(|()| None),
        }
    }

    /// The error of a path that is absent because of a link to nothing.
    fn absent(&self, full: &str, path: &str) -> Result<(), Diagnostic> {
        let top = self.top();
        let (above, name) = full.rsplit_once('/').unwrap_or(("", full));
        let folder = top.follow(above)?;
        match self.commit.items.get(&join(&folder, name)) {
            Some(Some((mode, _))) if mode == LINK => {
                Err(error(&self.shown(path), "is a link that leads to nothing in the commit"))
            }
            _ if above.is_empty() || top.found(&folder)?.is_some() => Ok(()),
            _ => self.absent(above, path),
        }
    }
}

impl Root {
    fn new(name: &str, path: &str, from: WorkingFolder<'_>) -> Result<Self, Diagnostic> {
        let git = Git::new(from);
        let prefix = git.folder_in_repository()?;
        let path = match Path::new(path).is_absolute() {
            false => join(&prefix, path),
            true => {
                let real = from.path.canonicalize().unwrap_or_else(|_| from.path.to_owned());
                let tops = [&*real, from.path].map(|folder| folder.ancestors().nth(prefix.matches('/').count()));
                let below = |top: &Path| Path::new(path).strip_prefix(top).ok()?.to_str();
                let below = tops.into_iter().flatten().find_map(below);
                let outside = || error(&format!("{PREFIX}{name}:{path}"), "is outside of the repository");
                below.ok_or_else(outside)?.to_owned()
            }
        };
        Ok(Self { git, path })
    }
}

impl Commit {
    /// The names in a folder, which may repeat, each with its path.
    fn names(&self, real: &str) -> impl Iterator<Item = &str> {
        let prefix = if real.is_empty() { String::new() } else { format!("{real}/") };
        let below = self.items.range(prefix.clone()..).map_while(move |(path, _)| path.strip_prefix(&prefix));
        below.filter_map(|rest| rest.split('/').next())
    }
}

/// An entry of `git ls-tree`: MODE TYPE OBJECT, a tab, and the path.
fn item(entry: &[u8]) -> Option<(String, Option<(String, String)>)> {
    let (state, path) = entry.split_at(entry.iter().position(|byte| *byte == b'\t')?);
    let [mode, _, object] = *str::from_utf8(state).ok()?.split(' ').collect::<Vec<_>>() else { return None };
    let path = String::from_utf8(path[1..].to_vec());
    Some(match path {
        Ok(path) => (path, Some((mode.to_owned(), object.to_owned()))),
        Err(odd) => (String::from_utf8_lossy(odd.as_bytes()).into_owned(), None),
    })
}

impl Files for CommitFiles {
    fn at<'s>(&'s self, path: &str) -> Box<dyn Files + 's> {
        let (name, root) = (self.shown(path), join(&self.root, path));
        Box::new(Self { commit: Arc::clone(&self.commit), name, root, skips: self.skips.clone() })
    }

    fn disk(&self) -> Option<&Path> {
        None
    }

    /// The version of its tag. A branch can have the name of a version, and does not stay what it is.
    fn version(&self) -> Option<BundleVersion> {
        let name = self.name.strip_prefix(PREFIX)?.split(':').next()?;
        let version = version(name)?;
        self.commit.git.resolve(&format!("refs/tags/{name}")).is_ok().then_some(version)
    }
}

impl Tree for CommitFiles {
    fn entries(&self, folder: &str) -> Result<Vec<(String, Entry)>, Diagnostic> {
        let names = self.follow(folder)?;
        let names = self.commit.names(&names).collect::<BTreeSet<_>>();
        let entry = |name: &str| self.entry(&join(folder, name)).map(|entry| (name.to_owned(), entry));
        Ok(names.into_iter().filter_map(entry).collect())
    }

    fn entry(&self, path: &str) -> Option<Entry> {
        self.found(path).map(|found| found.map(|(entry, _)| entry)).map_err(Entry::Unreadable).unwrap_or_else(Some)
    }

    fn bytes(&self, file: &str) -> Result<Vec<u8>, Diagnostic> {
        let (_, object) = self.found(file)?.ok_or_else(|| missing(&self.shown(file)))?;
        self.blob(object).map_err(|cause| error(&self.shown(file), &cause))
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

    fn skips(&self) -> &Skips {
        &self.skips
    }
}
