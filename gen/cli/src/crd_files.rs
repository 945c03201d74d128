//! The CRDs of a folder on disk.
//!
//! Invariants: symlinks are followed, also out of the folder; one that leads to a folder above it is an error. Files are read on all processors.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crd_bundle::published::choice::Choice;
use crd_bundle::published::layout::{Layout, layout};
use crd_bundle::published::tree::{Entry, Tree};
use crd_bundle::published::{Part, read_one, texts};
use crd_diagnostics::Diagnostic;
use crd_model::parallel;

use crate::session::WorkingFolder;
use crate::{file, input, walk};

/// A folder as a tree.
pub(crate) struct Folder<'f> {
    pub(crate) root: &'f Path,
    pub(crate) from: WorkingFolder<'f>,
}

/// Reads the CRDs in a folder.
pub(crate) fn read(root: &Path, choice: &Choice, from: WorkingFolder<'_>) -> Vec<Part> {
    let tree = Folder { root, from };
    let Layout { files, rest } = layout(&tree, choice);
    let read = parallel::each(&files, |(folder, path)| match input::named(&tree.path(path), &tree.shown(path)) {
        Ok(input) => read_one(input.in_folder(*folder), choice),
        Err(error) => error.into(),
    });
    read.into_iter().chain([rest]).collect()
}

impl Folder<'_> {
    fn path(&self, path: &str) -> PathBuf {
        if path.is_empty() { self.root.to_owned() } else { self.root.join(path) }
    }

    /// Whether a symlink leads to a folder that it is in.
    fn is_loop(&self, path: &Path) -> bool {
        let target = |path: &Path| path.canonicalize().ok();
        let mut above = path.ancestors().skip(1).take_while(|above| above.starts_with(self.root));
        path.is_symlink() && above.any(|above| target(above) == target(path))
    }
}

impl Tree for Folder<'_> {
    fn entries(&self, folder: &str) -> Result<Vec<(String, Entry)>, Diagnostic> {
        let folder = self.path(folder);
        let entries = walk::entries(&folder).map(|entry| {
            let path = entry?.into_path();
            let name = path.file_name().unwrap_or_default();
            let entry = match name.to_str().and_then(|_| entry_at(&path)) {
                None => Entry::Unreadable(file::error("file::io", &path, "has a name that is not UTF-8")),
                Some(Entry::Folder) if self.is_loop(&path) => {
                    Entry::Unreadable(file::error("file::io", &path, "is a symlink to a folder that it is in"))
                }
                Some(entry) => entry,
            };
            Ok((name.to_string_lossy().into_owned(), entry))
        });
        entries.collect()
    }

    fn entry(&self, path: &str) -> Option<Entry> {
        entry_at(&self.path(path))
    }

    fn text(&self, file: &str) -> Result<Arc<String>, Vec<Diagnostic>> {
        let (texts, errors) = texts(input::named(&self.path(file), &self.shown(file))?);
        texts.into_iter().next().map(|source| source.text).ok_or(errors)
    }

    fn shown(&self, path: &str) -> String {
        self.from.shown(&self.path(path)).display().to_string()
    }
}

fn entry_at(path: &Path) -> Option<Entry> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Some(Entry::Folder),
        Ok(metadata) if metadata.is_file() => Some(Entry::File),
        Ok(metadata) => Some(Entry::Unreadable(file::wrong_kind(path, metadata.file_type(), "file"))),
        Err(error) if is_missing(&error) && !path.is_symlink() => None,
        Err(error) => Some(Entry::Unreadable(file::cannot(path, "read", &error))),
    }
}

fn is_missing(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}
