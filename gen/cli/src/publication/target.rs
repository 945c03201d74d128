//! Targets: whether what exists at the paths of the trees may be replaced.
//!
//! Invariants: changes nothing, and follows no symlink below the root. A `dist/` may be replaced if its SHA256SUMS lists each of its files, or
//! if it is empty. A folder in it has a SHA256SUMS of its own, which lists everything below.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::Path;

use crd_diagnostics::{Diagnostic, fail_on};
use crd_generator::file::{self, folder_of};
use crd_generator::folder::present;
use crd_release::sums::listed;
use walkdir::DirEntry;

use super::SUMS;
use crate::walk;

/// How many files that no release has written are named.
const SHOWN: usize = 5;

/// The largest SHA256SUMS that is read, in bytes: a hundred times that of a large release.
const MOST_SUMS: u64 = 1 << 20;

/// Why the trees cannot be put at their targets. `bundle` is `None` if the bundle exists with the same bytes.
pub(super) fn errors(root: &Path, bundle: Option<&Path>, dist: &Path) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    for target in bundle.into_iter().chain([dist]) {
        if let Err(error) = present(folder_of(target), root) {
            errors.push(error);
        } else {
            match fs::symlink_metadata(target).map(|metadata| metadata.file_type()) {
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => errors.push(file::cannot(target, "read", &error)),
                Ok(kind) if kind.is_file() => {
                    errors.push(file::error("release::publication", target, "is a file, not a folder: move it away"));
                }
                Ok(kind) if !kind.is_dir() => errors.push(file::wrong_kind(target, kind, "folder")),
                Ok(_) if Some(target) == bundle => errors.push(bundle_is_there(target)),
                Ok(_) => errors.extend(only_ours(target).err().into_iter().flatten()),
            }
        }
    }
    errors
}

/// The error for a bundle that exists.
pub(super) fn bundle_is_there(target: &Path) -> Diagnostic {
    file::error(
        "release::publication",
        target,
        "exists already, and a bundle is never replaced: release another version, or remove it if it was never published",
    )
}

/// Whether a `dist/` contains only what a release has written.
pub(super) fn only_ours(dist: &Path) -> Result<(), Vec<Diagnostic>> {
    let mut errors = foreign(dist, walk::entries(dist).collect::<Result<Vec<_>, _>>()?)?;
    if errors.len() > SHOWN {
        errors.truncate(SHOWN);
        let predicate = "has more files that no release has written: move them away too";
        errors.push(file::error("release::publication", dist, predicate));
    }
    fail_on(errors)
}

/// The entries of a folder that no release has written. `entries` are those that its SHA256SUMS has to list.
fn foreign(folder: &Path, entries: Vec<DirEntry>) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let sums = folder.join(SUMS);
    let has_sums = sums.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
    let sums = if has_sums { read_sums(&sums)? } else { String::new() };
    let listed = listed(&sums);
    let mut errors = Vec::new();
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type());
        let name = walk::relative(folder, path);
        let is_listed = name == SUMS || listed.contains_key(&*name);
        let predicate = if kind.is_symlink() {
            "is a symlink, and a release does not write symlinks: move it away, since a new release deletes what it replaces"
        } else if kind.is_dir() && path.join(SUMS).is_file() {
            let below = walk::below(path).filter(|entry| !entry.as_ref().is_ok_and(|entry| entry.file_type().is_dir()));
            errors.extend(foreign(path, below.collect::<Result<Vec<_>, _>>()?)?);
            continue;
        } else if !kind.is_file() {
            "is neither a file nor a folder with SHA256SUMS, and a release writes nothing else there: move it away, since a new release deletes what it replaces"
        } else if !is_listed && has_sums {
            "is not in SHA256SUMS, so no release has written it: move it away, since a new release deletes what it replaces"
        } else if !is_listed {
            "is in a folder without SHA256SUMS, which no release has written: move the folder away, since a new release deletes what it replaces"
        } else {
            continue;
        };
        errors.push(file::error("release::publication", path, predicate));
    }
    Ok(errors)
}

fn read_sums(path: &Path) -> Result<String, Diagnostic> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MOST_SUMS + 1).read_to_end(&mut bytes));
    match read {
        Err(error) => Err(file::cannot(path, "read", &error)),
        Ok(_) if bytes.len() as u64 > MOST_SUMS => {
            Err(file::error("release::publication", path, "is larger than that of any release: move the folder away"))
        }
        Ok(_) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
    }
}
