//! The files and folders in a folder, sorted by name. Symlinks below it are listed and not followed.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use crd_diagnostics::Diagnostic;
use walkdir::{DirEntry, WalkDir};

use crd_generator::file;

/// Everything below a folder, except for hidden files and folders, and for files of operating systems and editors.
pub(crate) fn visible(folder: &Path) -> impl Iterator<Item = Result<DirEntry, Diagnostic>> {
    walk(folder, usize::MAX, |entry| {
        let name = entry.file_name();
        !name.as_encoded_bytes().starts_with(b".") && !is_incidental(name)
    })
}

/// The files that operating systems write into any folder.
const OF_SYSTEMS: [&str; 5] = [".DS_Store", ".directory", "Thumbs.db", "ehthumbs.db", "desktop.ini"];

/// How the names of files begin and end that editors and file managers write next to other files.
const OF_EDITORS: [(&str, &str); 6] = [("", "~"), (".", ".swp"), (".", ".swo"), ("._", ""), (".#", ""), ("#", "#")];

/// Whether an operating system or an editor writes files of this name. They belong to no bundle, and nothing reads them.
pub(crate) fn is_incidental(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    OF_SYSTEMS.iter().any(|known| known.eq_ignore_ascii_case(name))
        || OF_EDITORS
            .iter()
            .any(|(begin, end)| name.len() > begin.len() + end.len() && name.starts_with(begin) && name.ends_with(end))
}

/// Everything below a folder; nothing if it does not exist.
pub(crate) fn below(folder: &Path) -> impl Iterator<Item = Result<DirEntry, Diagnostic>> {
    let entries = folder.is_dir().then(|| walk(folder, usize::MAX, |_| true));
    entries.into_iter().flatten()
}

/// The files and folders of a folder, without those below.
pub(crate) fn entries(folder: &Path) -> impl Iterator<Item = Result<DirEntry, Diagnostic>> {
    walk(folder, 1, |_| true)
}

/// The files and folders below a folder, down to a depth.
pub(crate) fn walk(
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_systems_and_editors_have_known_names() {
        for name in
            [".DS_Store", "Thumbs.db", "thumbs.db", "Desktop.ini", "a.yaml~", ".a.yaml.swp", "._a", ".#a", "#a#"]
        {
            assert!(is_incidental(name.as_ref()), "{name}");
        }
        for name in ["a.yaml", ".gitignore", ".env", "~", "#", "a.swp", "#a", ".swp", "bundle.yaml"] {
            assert!(!is_incidental(name.as_ref()), "{name}");
        }
    }
}
