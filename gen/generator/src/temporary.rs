//! Names of temporary files and folders: one form, which every command that writes recognises.
//!
//! Invariants: a name contains how many folders above it the folder is that its run has locked. The system releases the lock when the run
//! ends, so what has such a name below a folder that can be locked belongs to a killed run.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

const PREFIX: &str = ".crd-channels-";
const SUFFIX: &str = ".tmp";

/// Which name a locked folder gives next. Names of one run differ, whether or not their files exist yet.
#[derive(Debug, Default)]
pub struct Names(usize);

impl Names {
    /// A new path in a folder that is so many folders below the locked one. The number of the process is for people who find it.
    pub fn path(&mut self, folder: &Path, levels: usize) -> PathBuf {
        loop {
            let path = folder.join(format!("{PREFIX}{levels}-{}-{}{SUFFIX}", std::process::id(), self.0));
            self.0 += 1;
            // A killed run with the same number may have left it.
            if fs::symlink_metadata(&path).is_err() {
                return path;
            }
        }
    }
}

/// How many folders above it the locked folder is. `None` for other names.
pub fn levels(name: &OsStr) -> Option<usize> {
    let numbers = name.to_str()?.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    match numbers.split('-').collect::<Vec<_>>()[..] {
        [levels, process, count] if [levels, process, count].into_iter().all(is_number) => levels.parse().ok(),
        _ => None,
    }
}

/// Removes a file, or a folder with its contents. Symlinks in it are not followed, and one with such a name is not removed.
pub fn remove(path: &Path) {
    // What stays is removed by the next run.
    let _ = match fs::symlink_metadata(path).map(|metadata| metadata.file_type()) {
        Ok(kind) if kind.is_dir() => fs::remove_dir_all(path),
        Ok(kind) if kind.is_file() => fs::remove_file(path),
        _ => Ok(()),
    };
}

/// A file with a temporary name, or the name of one to be made. It is removed unless it gets another name.
#[derive(Debug)]
pub struct Temporary(pub PathBuf);

impl Temporary {
    /// Leaves the file as it is; returns its path.
    pub fn keep(mut self) -> PathBuf {
        std::mem::take(&mut self.0)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.0.as_os_str().is_empty() {
            remove(&self.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_form_are_recognised() {
        for at in [0, 1, 12] {
            let path = Names::default().path(Path::new("/nowhere"), at);
            assert_eq!(levels(path.file_name().unwrap_or_default()), Some(at), "{path:?}");
        }
        for name in
            [".crd-channels-1-2.tmp", ".crd-channels-1-2-3", "crd-channels-1-2-3.tmp", ".crd-channels-1-x-3.tmp"]
        {
            assert_eq!(levels(name.as_ref()), None, "{name}");
        }
    }
}
