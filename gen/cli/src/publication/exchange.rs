//! Renames a staged folder to its target, or exchanges it with the existing folder.
//!
//! Invariants: a rename never replaces an existing folder; `dist` is complete at any time, or absent for a moment on systems that cannot
//! exchange two folders. A rename can be undone until the old folder is removed.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crd_diagnostics::Diagnostic;
use crd_generator::file::{self, folder_of};
use crd_generator::renaming::{exchange, rename};
use crd_generator::temporary::Temporary;

use super::cannot;
use super::staging::{self, DIST_PREFIX, OLD};

/// A tree at its target. The rename can be undone.
#[derive(Debug)]
pub(super) struct Placed {
    target: PathBuf,
    /// Where it was staged.
    staged: PathBuf,
    how: How,
}

#[derive(Debug)]
enum How {
    /// The target did not exist.
    Fresh,
    /// The old folder has the path where the new one was staged.
    Exchanged,
    /// The old folder has this path.
    MovedAway(PathBuf),
}

impl Placed {
    /// Renames a staged tree to its target. A failure changes nothing.
    pub(super) fn put(new: Temporary, target: &Path) -> Result<Self, Diagnostic> {
        let failed = |error: io::Error| match error.kind() {
            // Overlay filesystems cannot rename folders of a lower layer.
            ErrorKind::CrossesDevices | ErrorKind::ResourceBusy => file::error(
                "release::publication",
                target,
                format!(
                    "cannot be replaced: {error}. It is a mount point, or on another overlay layer than its parent folder: remove it, and run this again"
                ),
            ),
            _ => cannot(target, "replaced", &error),
        };
        let how = match fs::symlink_metadata(target) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                rename(&new.0, target).map_err(|error| cannot(target, "put in place", &error))?;
                How::Fresh
            }
            Err(error) => return Err(failed(error)),
            Ok(_) if exchange(&new.0, target).map_err(failed)? => How::Exchanged,
            Ok(_) => {
                let old = staging::name(folder_of(target), DIST_PREFIX, OLD);
                rename(target, &old).map_err(failed)?;
                if let Err(error) = rename(&new.0, target) {
                    let mut diagnostic = cannot(target, "put in place", &error);
                    if let Err(error) = rename(&old, target) {
                        diagnostic = diagnostic
                            .help(format!("The old one is {}, and cannot be put back: {error}", old.display()));
                    }
                    return Err(diagnostic);
                }
                How::MovedAway(old)
            }
        };
        Ok(Self { target: target.to_owned(), staged: new.keep(), how })
    }

    /// The path of the old folder, if there was one.
    pub(super) fn old(&self) -> Option<&Path> {
        match &self.how {
            How::Fresh => None,
            How::Exchanged => Some(&self.staged),
            How::MovedAway(old) => Some(old),
        }
    }

    /// Removes the new tree, and puts the old one back.
    pub(super) fn undo(self) -> Result<(), Diagnostic> {
        let undone = match &self.how {
            How::Exchanged => match exchange(&self.staged, &self.target) {
                Ok(false) => Err(ErrorKind::Unsupported.into()),
                other => other.map(|_| ()),
            },
            How::Fresh => rename(&self.target, &self.staged),
            How::MovedAway(old) => rename(&self.target, &self.staged).and_then(|()| rename(old, &self.target)),
        };
        match undone {
            Ok(()) => staging::remove(&self.staged),
            Err(error) => {
                let old = self.old().map_or(String::new(), |old| format!(". The old one is {}", old.display()));
                let text = format!("cannot be put back as it was after the failure: {error}{old}");
                Err(file::error("release::publication", self.target, text))
            }
        }
    }

    /// Removes the old folder, which a release has written.
    pub(super) fn remove_old(self) -> Result<(), Diagnostic> {
        self.old().map_or(Ok(()), staging::remove)
    }
}
