//! Targets: what stands where the trees belong, and whether it may be replaced.
//!
//! Fed with the root and the places of the trees. Read by [`super::Publication`], before anything is written and by `release --dry-run`.
//!
//! Invariants: only looks, changes nothing, and follows no symlink below the root. A `dist/` is ours if its SHA256SUMS lists every other
//! file in it, and there is nothing but files; an empty one is nobody's.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Component, Path};

use super::{SUMS, folder_of};
use crate::fault::Fault;
use crate::folder::{present, refusal};

/// So many files of somebody else are named.
const SHOWN: usize = 5;

/// The most bytes of a SHA256SUMS that are read: a hundred times what a large release has.
const MOST_SUMS: u64 = 1 << 20;

/// Why the trees cannot be put where they belong; changes nothing. `bundle` is `None` if it is there already, as it should be.
pub(super) fn faults(root: &Path, bundle: Option<&Path>, dist: &Path) -> Vec<Fault> {
    let mut faults = Vec::new();
    for target in bundle.into_iter().chain([dist]) {
        let below = target.strip_prefix(root).ok().filter(|below| {
            below.file_name().is_some() && below.components().all(|part| matches!(part, Component::Normal(_)))
        });
        if below.is_none() {
            faults.push(Fault::file(target, "is not below the root, and a release writes nowhere else"));
        } else if let Err(fault) = present(folder_of(target), root) {
            faults.push(fault);
        } else {
            match fs::symlink_metadata(target).map(|metadata| metadata.file_type()) {
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => faults.push(Fault::io(target, "read", &error)),
                Ok(kind) if kind.is_file() => {
                    faults.push(Fault::file(target, "is a file, and a folder is needed there: move it away"));
                }
                Ok(kind) if !kind.is_dir() => faults.push(Fault::file(target, refusal(kind, "folder"))),
                Ok(_) if Some(target) == bundle => faults.push(bundle_is_there(target)),
                Ok(_) => faults.extend(only_ours(target).err().into_iter().flatten()),
            }
        }
    }
    faults
}

/// That a bundle cannot be put where there is one.
pub(super) fn bundle_is_there(target: &Path) -> Fault {
    Fault::file(
        target,
        "is there already, and a bundle is never replaced: release another version, or remove it if nobody has it yet",
    )
}

/// Whether a `dist/` holds nothing but what a release has written.
pub(super) fn only_ours(dist: &Path) -> Result<(), Vec<Fault>> {
    let unreadable = |error: &std::io::Error| vec![Fault::io(dist, "read", error)];
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
            "is a symlink, and a release writes none: move it away, since a new release deletes what it replaces"
        } else if !kind.is_file() {
            "is no file, and a release writes nothing else there: move it away, since a new release deletes what it replaces"
        } else if !is_listed && has_sums {
            "is not in SHA256SUMS, so no release has written it: move it away, since a new release deletes what it replaces"
        } else if !is_listed {
            "lies in a folder without SHA256SUMS, which no release has written: move the folder away, since a new release deletes what it replaces"
        } else {
            continue;
        };
        if faults.len() == SHOWN {
            faults.push(Fault::file(dist, "has more of what no release has written: move that away too"));
            break;
        }
        faults.push(Fault::file(path, problem));
    }
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

fn read_sums(path: &Path) -> Result<String, Fault> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MOST_SUMS + 1).read_to_end(&mut bytes));
    match read {
        Err(error) => Err(Fault::io(path, "read", &error)),
        Ok(_) if bytes.len() as u64 > MOST_SUMS => {
            Err(Fault::file(path, "is larger than any release writes it: move the folder away"))
        }
        Ok(_) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

/// The names that a SHA256SUMS lists: lines of a digest, a space, a space or `*`, and a name.
pub(super) fn listed(sums: &str) -> BTreeSet<&str> {
    let name = |line| {
        let (digest, name) = str::split_once(line, ' ')?;
        let is_digest = digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
        name.strip_prefix([' ', '*']).filter(|name| is_digest && !name.is_empty())
    };
    sums.lines().filter_map(name).collect()
}
