//! Output directories: their contents, and the folders that a run creates.
//!
//! Invariants: symlinks below the directory that the user named are not followed. A folder that a run creates and leaves empty is removed.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, FileType};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crd_diagnostics::Diagnostic;

use crate::{file, temporary};

/// The contents of a folder, by name, except for temporary files.
pub type Listing = BTreeMap<OsString, FileType>;

/// Lists a folder that may be missing. `trusted` is the part of the path that the user named.
pub fn listing(folder: &Path, trusted: &Path) -> Result<Listing, Diagnostic> {
    match present(folder, trusted)? {
        true => read(folder).map_err(|error| file::cannot(folder, "read", &error)),
        false => Ok(Listing::new()),
    }
}

fn read(folder: &Path) -> std::io::Result<Listing> {
    let mut entries = Listing::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        match entry.file_type() {
            _ if temporary::levels(&entry.file_name()).is_some() => {}
            Ok(kind) => _ = entries.insert(entry.file_name(), kind),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(entries)
}

/// Whether a folder exists. An error if something else has its name, or if a symlink leads to it below the trusted part.
pub fn present(folder: &Path, trusted: &Path) -> Result<bool, Diagnostic> {
    let mut parts: Vec<&Path> = folder.ancestors().take_while(|part| *part != trusted).collect();
    parts.reverse();
    // The part that the user named may be a symlink.
    match fs::metadata(trusted) {
        Ok(metadata) if metadata.is_dir() => {}
        Ok(metadata) => return Err(file::wrong_kind(trusted, metadata.file_type(), "folder")),
        Err(error) if error.kind() == ErrorKind::NotFound && fs::symlink_metadata(trusted).is_err() => {
            return Ok(false);
        }
        Err(error) => return Err(file::cannot(trusted, "used as folder", &error)),
    }
    for part in parts {
        match fs::symlink_metadata(part) {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(metadata) => return Err(file::wrong_kind(part, metadata.file_type(), "folder")),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(file::cannot(part, "read", &error)),
        }
    }
    Ok(true)
}

/// Folders that were created for the output. Those that are still empty are removed when this value is dropped.
#[derive(Debug, Default)]
pub struct MadeFolders(Vec<PathBuf>);

impl MadeFolders {
    /// Creates a folder and those above it.
    pub fn make(&mut self, folder: &Path) -> Result<(), Diagnostic> {
        let missing: Vec<&Path> = folder.ancestors().take_while(|part| fs::metadata(part).is_err()).collect();
        for part in missing.into_iter().rev() {
            match fs::create_dir(part) {
                Ok(()) => self.0.push(part.to_path_buf()),
                // Another run was faster.
                Err(error) if error.kind() == ErrorKind::AlreadyExists && part.is_dir() => {}
                Err(error) => return Err(file::cannot(part, "made", &error)),
            }
        }
        Ok(())
    }
}

impl Drop for MadeFolders {
    fn drop(&mut self) {
        for folder in self.0.iter().rev() {
            // The system refuses this if the folder is not empty, as intended.
            let _ = fs::remove_dir(folder);
        }
    }
}
