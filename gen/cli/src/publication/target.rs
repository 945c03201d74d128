//! Targets: whether what exists at the paths of the trees may be replaced.
//!
//! Invariants: changes nothing, and follows no symlink below the root. A `dist/` may be replaced if it contains only files, and its SHA256SUMS
//! lists each of them, or if it is empty.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::Path;

use super::{SUMS, folder_of};
use crd_diagnostics::Diagnostic;

use crate::file;
use crate::folder::present;

/// How many files that no release has written are named.
const SHOWN: usize = 5;

/// The largest SHA256SUMS that is read, in bytes: a hundred times that of a large release.
const MOST_SUMS: u64 = 1 << 20;

/// Why the trees cannot be put at their targets. `bundle` is `None` if the bundle exists with the same bytes.
pub(super) fn faults(root: &Path, bundle: Option<&Path>, dist: &Path) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    for target in bundle.into_iter().chain([dist]) {
        if let Err(fault) = present(folder_of(target), root) {
            faults.push(fault);
        } else {
            match fs::symlink_metadata(target).map(|metadata| metadata.file_type()) {
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => faults.push(file::cannot(target, "read", &error)),
                Ok(kind) if kind.is_file() => {
                    faults.push(file::problem("release::publication", target, "is a file, not a folder: move it away"));
                }
                Ok(kind) if !kind.is_dir() => faults.push(file::wrong_kind(target, kind, "folder")),
                Ok(_) if Some(target) == bundle => faults.push(bundle_is_there(target)),
                Ok(_) => faults.extend(only_ours(target).err().into_iter().flatten()),
            }
        }
    }
    faults
}

/// The error for a bundle that exists.
pub(super) fn bundle_is_there(target: &Path) -> Diagnostic {
    file::problem(
        "release::publication",
        target,
        "exists already, and a bundle is never replaced: release another version, or remove it if it was never published",
    )
}

/// Whether a `dist/` contains only what a release has written.
pub(super) fn only_ours(dist: &Path) -> Result<(), Vec<Diagnostic>> {
    let unreadable = |error: &std::io::Error| vec![file::cannot(dist, "read", error)];
    let mut entries = Vec::new();
    for entry in fs::read_dir(dist).map_err(|error| unreadable(&error))? {
        let entry = entry.map_err(|error| unreadable(&error))?;
        let kind = entry.file_type().map_err(|error| unreadable(&error))?;
        entries.push((entry.file_name(), kind));
    }
    entries.sort_by(|left, right| left.0.cmp(&right.0));
    let has_sums = entries.iter().any(|(name, kind)| name == SUMS && kind.is_file());
    let sums = if has_sums { read_sums(&dist.join(SUMS)).map_err(|fault| vec![fault])? } else { String::new() };
    let listed = listed(&sums);
    let mut faults = Vec::new();
    for (name, kind) in &entries {
        let path = dist.join(name);
        let is_listed = name == SUMS || name.to_str().is_some_and(|name| listed.contains(name));
        let problem = if kind.is_symlink() {
            "is a symlink, and a release does not write symlinks: move it away, since a new release deletes what it replaces"
        } else if !kind.is_file() {
            "is not a file, and a release writes only files there: move it away, since a new release deletes what it replaces"
        } else if !is_listed && has_sums {
            "is not in SHA256SUMS, so no release has written it: move it away, since a new release deletes what it replaces"
        } else if !is_listed {
            "is in a folder without SHA256SUMS, which no release has written: move the folder away, since a new release deletes what it replaces"
        } else {
            continue;
        };
        if faults.len() == SHOWN {
            faults.push(file::problem(
                "release::publication",
                dist,
                "has more files that no release has written: move them away too",
            ));
            break;
        }
        faults.push(file::problem("release::publication", path, problem));
    }
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

fn read_sums(path: &Path) -> Result<String, Diagnostic> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MOST_SUMS + 1).read_to_end(&mut bytes));
    match read {
        Err(error) => Err(file::cannot(path, "read", &error)),
        Ok(_) if bytes.len() as u64 > MOST_SUMS => {
            Err(file::problem("release::publication", path, "is larger than that of any release: move the folder away"))
        }
        Ok(_) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

/// The names that a SHA256SUMS lists: lines of a digest, a space, a space or `*`, and a name.
fn listed(sums: &str) -> BTreeSet<&str> {
    let name = |line| {
        let (digest, name) = str::split_once(line, ' ')?;
        let is_digest = digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
        name.strip_prefix([' ', '*']).filter(|name| is_digest && !name.is_empty())
    };
    sums.lines().filter_map(name).collect()
}
