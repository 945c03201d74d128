//! The files and folders in a folder, sorted by name. Symlinks below it are listed and not followed.

use std::io;
use std::path::Path;

use crd_diagnostics::Diagnostic;
use walkdir::{DirEntry, WalkDir};

use crate::file;

/// Everything below a folder.
pub(crate) fn all(folder: &Path) -> impl Iterator<Item = Result<DirEntry, Diagnostic>> {
    walk(folder, usize::MAX, |_| true)
}

/// Everything below a folder, except for hidden files and folders.
pub(crate) fn visible(folder: &Path) -> impl Iterator<Item = Result<DirEntry, Diagnostic>> {
    walk(folder, usize::MAX, |entry| !entry.file_name().as_encoded_bytes().starts_with(b"."))
}

/// The files and folders of a folder, without those below.
pub(crate) fn entries(folder: &Path) -> impl Iterator<Item = Result<DirEntry, Diagnostic>> {
    walk(folder, 1, |_| true)
}

fn walk(
    folder: &Path,
    depth: usize,
    is_wanted: impl FnMut(&DirEntry) -> bool,
) -> impl Iterator<Item = Result<DirEntry, Diagnostic>> {
    let entries = WalkDir::new(folder).min_depth(1).max_depth(depth).sort_by_file_name();
    entries.into_iter().filter_entry(is_wanted).map(move |entry| {
        entry.map_err(|error| {
            let path = error.path().unwrap_or(folder).to_owned();
            file::cannot(path, "read", &error.into_io_error().unwrap_or_else(|| io::Error::other("a loop of symlinks")))
        })
    })
}

/// The path relative to a folder, with `/`.
pub(crate) fn relative(folder: &Path, path: &Path) -> String {
    let below = path.strip_prefix(folder).unwrap_or(path);
    below.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}
