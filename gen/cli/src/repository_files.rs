//! The files that a repository needs in addition to its types: how each differs from what `init` writes, and writing them.
//!
//! Invariants: an existing file is never overwritten. A missing file is written, and missing lines are added to lists and to a Makefile. Either all files are
//! written or none. No symlink is followed.

use std::path::{Path, PathBuf};

use crd_diagnostics::{Diagnostic, fail_on, successes};
use crd_generator::init::{Addition, InitFile};
use serde::Serialize;

use crd_generator::difference::Difference;
use crd_generator::file;
use crd_generator::file::Content;
use crd_generator::folder::present;
use crd_generator::locked_folder::LockedFolder;
use crd_generator::session::Session;
use crd_generator::transaction::Transaction;

/// How a file differs from what `init` writes.
pub(crate) enum State {
    Missing,
    /// Lines of a list are missing.
    Incomplete(Vec<String>),
    UpToDate,
    /// The content is another one.
    Different(Difference),
}

/// A file of the repository.
pub(crate) struct RepositoryFile {
    pub(crate) file: InitFile,
    pub(crate) path: PathBuf,
    pub(crate) state: State,
    old: Option<Content>,
    /// The whole new text, if the file is missing or incomplete.
    pub(crate) text: Option<String>,
}

/// A file of the repository in a document.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct FileState<'f> {
    /// Its path.
    path: &'static str,
    /// What it is for.
    purpose: &'static str,
    /// `missing`, `incomplete`, `upToDate`, or `different`.
    state: &'static str,
    /// The lines that an incomplete file lacks.
    missing_lines: &'f [String],
    /// Whether it was written.
    written: bool,
}

impl RepositoryFile {
    /// The file in a document, unless `dry` after it was written.
    pub(crate) fn document(&self, dry: bool) -> FileState<'_> {
        let (state, missing_lines) = match &self.state {
            State::Missing => ("missing", &[][..]),
            State::Incomplete(lines) => ("incomplete", &**lines),
            State::UpToDate => ("upToDate", &[][..]),
            State::Different(_) => ("different", &[][..]),
        };
        let (path, purpose) = (self.file.path, self.file.purpose);
        FileState { path, purpose, state, missing_lines, written: self.text.is_some() && !dry }
    }
}

/// Reads the files, and writes those that are missing or incomplete unless `dry`.
pub(crate) fn update(
    files: Vec<InitFile>,
    root: &Path,
    dry: bool,
    session: &mut Session<'_>,
) -> Result<Vec<RepositoryFile>, Vec<Diagnostic>> {
    // Locked before the files are read, so that two runs cannot add the same lines.
    let mut locked = (!dry).then(|| LockedFolder::lock(root, root, session)).transpose()?;
    let mut errors = Vec::new();
    let found = successes(files.into_iter().map(|file| RepositoryFile::read(file, root)), &mut errors);
    // A symlink above two files is reported once.
    errors.dedup();
    fail_on(errors)?;
    if let Some(locked) = &mut locked {
        // Also where nothing is missing.
        found.iter().filter_map(|file| file.path.parent()).for_each(|folder| locked.clear(folder));
        let mut transaction = Transaction::new(locked);
        for RepositoryFile { path, old, text, .. } in &found {
            let Some(text) = text else { continue };
            transaction.write(path.clone(), *old, text)?;
        }
        transaction.commit()?;
    }
    Ok(found)
}

impl RepositoryFile {
    fn read(file: InitFile, root: &Path) -> Result<Self, Diagnostic> {
        let path = root.join(file.path);
        let old = match present(path.parent().unwrap_or(root), root)? {
            true => file::existing(&path)?,
            false => None,
        };
        let content = old.as_ref().map(Content::of);
        let (state, text) = match old {
            None => (State::Missing, Some(file.text.to_string())),
            Some(old) => compare(&file, &old),
        };
        Ok(Self { file, path, state, old: content, text })
    }
}

/// How an existing file differs, and its whole new text if lines are missing.
fn compare(file: &InitFile, old: &[u8]) -> (State, Option<String>) {
    if old == file.text.as_bytes() {
        return (State::UpToDate, None);
    }
    match str::from_utf8(old) {
        Ok(old) if file.addition != Addition::Nothing => match file.missing_lines(old) {
            missing if missing.is_empty() => (State::UpToDate, None),
            missing => {
                let text = file.with_lines(old, &missing);
                (State::Incomplete(missing.into_iter().map(str::to_owned).collect()), Some(text))
            }
        },
        // Lines cannot be added to a file that is not UTF-8.
        _ => (State::Different(Difference::between(&String::from_utf8_lossy(old), &file.text)), None),
    }
}
