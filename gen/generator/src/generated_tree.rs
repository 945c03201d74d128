//! A folder of generated files, compared with what it should contain, and written.
//!
//! Invariants: a file that the caller does not own is neither replaced nor removed; all changes are made or none; symlinks below the folder are not
//! followed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use crd_diagnostics::{Diagnostic, fail_on};
use serde::Serialize;

use crate::difference::Difference;
use crate::file::{self, Content, folder_of};
use crate::folder::{listing, present};
use crate::locked_folder::LockedFolder;
use crate::session::Session;
use crate::transaction::Transaction;

/// A file that is missing or differs.
pub struct Change {
    /// Its name, or its path in the output directory.
    pub name: String,
    pub(crate) text: String,
    /// The bytes of the existing file.
    pub(crate) old: Option<Content>,
    /// The difference, with `check`; `None` if the file is missing.
    pub(crate) difference: Option<Difference>,
}

impl Change {
    pub(crate) fn of(name: String, text: String, old: Option<Vec<u8>>, check: bool) -> Self {
        let content = old.as_ref().map(Content::of);
        let old = old.filter(|_| check);
        let difference = old.map(|old| Difference::between(&String::from_utf8_lossy(&old), &text));
        Self { name, text, old: content, difference }
    }
}

/// The changes that make the folder what it should be.
pub struct GeneratedTree {
    pub folder: PathBuf,
    /// How many files it should contain.
    pub files: usize,
    /// Files that are missing or differ, by their paths in the folder.
    pub changed: Vec<Change>,
    /// Generated files that it should not contain.
    pub removed: BTreeMap<String, Content>,
}

/// A folder of generated files.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TreeDocument<'t> {
    /// The folder.
    folder: String,
    /// How many files it should contain.
    files: usize,
    /// Files that were missing or differ.
    changed: Vec<&'t str>,
    /// Generated files that it should not contain.
    removed: Vec<&'t str>,
    /// Whether files are out of date, with `--check`.
    stale: bool,
}

/// The files that an earlier run has written.
pub struct Owned<'a> {
    /// The paths of files that may be outdated.
    pub candidates: BTreeSet<String>,
    /// Whether a run has written a file, by its path and its bytes.
    pub is_own: &'a dyn Fn(&str, &[u8]) -> bool,
}

impl GeneratedTree {
    /// The changes in a document. `folder` is its name in messages.
    pub fn document(&self, folder: String, is_check: bool) -> TreeDocument<'_> {
        TreeDocument {
            folder,
            files: self.files,
            changed: self.changed.iter().map(|change| &*change.name).collect(),
            removed: self.removed.keys().map(String::as_str).collect(),
            stale: is_check && self.has_changes(),
        }
    }

    /// Compares a folder with the files that it should contain. `trusted` is the part of its path that the user named; with `check`, changes have
    /// their differences.
    ///
    /// # Errors
    /// Files that cannot be read, and files in the way that the caller does not own.
    pub fn compare(
        folder: PathBuf,
        trusted: &Path,
        files: BTreeMap<String, String>,
        owned: &Owned<'_>,
        check: bool,
    ) -> Result<Self, Vec<Diagnostic>> {
        let existing = |path: &str| {
            let target = folder.join(path);
            if present(folder_of(&target), trusted)? { file::existing(&target) } else { Ok(None) }
        };
        let (mut errors, mut removed, mut changed) = (Vec::new(), BTreeMap::new(), Vec::new());
        for path in owned.candidates.iter().filter(|path| !files.contains_key(*path) && is_below(path)) {
            match existing(path) {
                Ok(Some(old)) if (owned.is_own)(path, &old) => _ = removed.insert(path.clone(), Content::of(&old)),
                Ok(_) => {}
                Err(error) => errors.push(error),
            }
        }
        let number = files.len();
        for (path, text) in files {
            match existing(&path) {
                Ok(Some(old)) if old == text.as_bytes() => {}
                Ok(Some(old)) if !(owned.is_own)(&path, &old) => errors.push(foreign(&folder.join(path))),
                Ok(old) => changed.push(Change::of(path, text, old, check)),
                Err(error) => errors.push(error),
            }
        }
        fail_on(errors)?;
        Ok(Self { folder, files: number, changed, removed })
    }

    pub fn has_changes(&self) -> bool {
        !self.changed.is_empty() || !self.removed.is_empty()
    }

    /// Makes the changes.
    ///
    /// # Errors
    /// A file cannot be written, or another program has changed it.
    pub fn write(&self, trusted: &Path, session: &mut Session<'_>) -> Result<(), Vec<Diagnostic>> {
        if !self.has_changes() {
            return Ok(());
        }
        let mut locked = LockedFolder::lock(&self.folder, trusted, session)?;
        let mut transaction = Transaction::new(&mut locked);
        for change in &self.changed {
            transaction.write(self.folder.join(&change.name), change.old, &change.text)?;
        }
        for (path, old) in &self.removed {
            transaction.remove(self.folder.join(path), *old);
        }
        transaction.commit()
    }
}

/// The paths of all files below a folder with this ending.
///
/// # Errors
/// A folder cannot be read.
pub fn files_below(folder: &Path, trusted: &Path, ending: &str) -> Result<BTreeSet<String>, Diagnostic> {
    let (mut found, mut open) = (BTreeSet::new(), vec![String::new()]);
    while let Some(below) = open.pop() {
        for (name, kind) in listing(&folder.join(&below), trusted)? {
            let Some(name) = name.to_str() else { continue };
            let path = if below.is_empty() { name.to_owned() } else { format!("{below}/{name}") };
            if kind.is_dir() {
                open.push(path);
            } else if kind.is_file() && name.ends_with(ending) {
                found.insert(path);
            }
        }
    }
    Ok(found)
}

/// A list of files may come from anywhere.
fn is_below(path: &str) -> bool {
    Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

fn foreign(path: &Path) -> Diagnostic {
    let error = file::error("bindings::other-file", path, "was not generated, so it is not replaced");
    error.help("choose another folder, or move the file away")
}
