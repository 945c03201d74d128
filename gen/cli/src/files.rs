//! Files of a root, on disk or in a commit.
//!
//! Invariants: what cannot be read is an error; hidden folders are left out of what is visible, and so are hidden files that have no CRDs by their name.

use std::path::Path;

use crd_bundle::BundleVersion;
use crd_bundle::published::layout::is_hidden;
use crd_bundle::published::limits::MOST_FOLDERS;
use crd_bundle::published::tree::{Entry, Tree, Unpacked, join};
use crd_diagnostics::Diagnostic;
use crd_generator::file;

use crate::{input, walk};

/// Files of a root, which is a folder or a file.
pub(crate) trait Files: Tree {
    /// The files with another root, which is relative to this one.
    fn at<'s>(&'s self, path: &str) -> Box<dyn Files + 's>;

    /// The root, if it is on disk.
    fn disk(&self) -> Option<&Path>;

    /// The version in the name of the root, if it is one of a release.
    fn version(&self) -> Option<BundleVersion> {
        None
    }
}

/// The files of a source that is not on disk.
impl Files for Unpacked {
    fn at<'s>(&'s self, path: &str) -> Box<dyn Files + 's> {
        Box::new(self.below(path))
    }

    fn disk(&self) -> Option<&Path> {
        None
    }
}

/// The text of a file; `None` if it does not exist.
pub(crate) fn text(files: &dyn Files, path: &str) -> Result<Option<String>, Diagnostic> {
    match files.entry(path) {
        None => Ok(None),
        Some(Entry::Unreadable(error)) => Err(error),
        Some(Entry::Folder) => Err(file::error("file::kind", files.shown(path), "is a folder, not a file")),
        Some(Entry::File) => input::text_of(files.bytes(path)?, Path::new(&files.shown(path))).map(Some),
    }
}

/// All visible files below a folder with such names, without those of operating systems and editors.
pub(crate) fn visible(
    files: &dyn Tree,
    folder: &str,
    is_wanted: &dyn Fn(&str) -> bool,
    errors: &mut Vec<Diagnostic>,
) -> Vec<String> {
    let entries = match files.entries(folder) {
        Ok(entries) if folder.split('/').count() <= MOST_FOLDERS => entries,
        Ok(_) => {
            errors.push(file::error("file::kind", files.shown(folder), format!("is below {MOST_FOLDERS} folders")));
            return Vec::new();
        }
        Err(error) => {
            errors.push(error);
            return Vec::new();
        }
    };
    let mut found = Vec::new();
    for (name, entry) in entries {
        let path = join(folder, &name);
        match entry {
            _ if is_hidden(files, &path, &entry) => {}
            _ if walk::is_incidental(name.as_ref()) && !name.starts_with('.') => {}
            Entry::Folder => found.extend(visible(files, &path, is_wanted, errors)),
            Entry::File if is_wanted(&name) => found.push(path),
            Entry::File => {}
            Entry::Unreadable(error) => errors.push(error),
        }
    }
    found
}
