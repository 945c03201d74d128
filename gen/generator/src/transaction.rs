//! Transactions: many files change together, or none does.
//!
//! Invariants:
//! * New texts are first written next to their targets, then exchanged with them, so that a reader sees a whole old or a whole new file at
//!   any time. A killed run leaves files with temporary names, which the next run removes.
//! * A file is replaced or removed only if it has the bytes that the command read. They are compared before the first change, and again after
//!   the last one, when the old files have temporary names: an edit of another program in the meantime is restored.
//! * A target is a regular file, or does not exist. A symlink is neither followed nor replaced, also between the locked folder and the target.
//! * After a failure, every old file is back, the same file with its times, and no temporary file is left.

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crd_diagnostics::{Diagnostic, fail_on};

use crate::file;
use crate::file::{Content, folder_of};
use crate::locked_folder::LockedFolder;
use crate::renaming::{exchange, rename};
use crate::temporary::Temporary;

/// Changes that happen together, in a folder that no other run changes.
#[derive(Debug)]
pub struct Transaction<'l> {
    locked: &'l mut LockedFolder,
    steps: Vec<Step>,
}

#[derive(Debug)]
struct Step {
    target: PathBuf,
    /// The bytes that the command read; `None` if the file did not exist.
    old: Option<Content>,
    /// The new text; `None` to remove the file.
    new: Option<(Temporary, Content)>,
}

/// A step that can be undone.
struct Done {
    step: Step,
    /// The bytes of the new file.
    new: Option<Content>,
    old: Option<Temporary>,
}

impl<'l> Transaction<'l> {
    pub fn new(locked: &'l mut LockedFolder) -> Self {
        Self { locked, steps: Vec::new() }
    }

    /// Writes the new text next to the file. `old` is what the command read there.
    pub fn write(&mut self, target: PathBuf, old: Option<Content>, text: impl AsRef<[u8]>) -> Result<(), Diagnostic> {
        let folder = folder_of(&target);
        self.locked.make(folder)?;
        let new = Temporary(self.locked.temporary(folder));
        let permissions = match fs::symlink_metadata(&target) {
            Ok(metadata) if metadata.is_file() => Some(metadata.permissions()),
            Ok(metadata) => return Err(file::wrong_kind(target, metadata.file_type(), "file")),
            Err(_) => None,
        };
        write(&new.0, text.as_ref(), permissions).map_err(|error| file::cannot(&target, "written", &error))?;
        self.steps.push(Step { target, old, new: Some((new, Content::of(text))) });
        Ok(())
    }

    /// Removes a file, in which the command read these bytes.
    pub fn remove(&mut self, target: PathBuf, old: Content) {
        self.steps.push(Step { target, old: Some(old), new: None });
    }

    /// Makes all changes. More than one error means that several files were changed by another program, or that a failure could not be undone
    /// completely.
    pub fn commit(mut self) -> Result<(), Vec<Diagnostic>> {
        let steps = std::mem::take(&mut self.steps);
        fail_on(steps.iter().filter_map(|step| compare(&step.target, step).err()).collect())?;
        let mut done = Vec::with_capacity(steps.len());
        for step in steps {
            let spare = Temporary(self.locked.temporary(folder_of(&step.target)));
            match step.apply(spare) {
                Ok(step) => done.push(step),
                Err(error) => return Err(undo(done, vec![error])),
            }
        }
        let changed =
            done.iter().filter_map(|Done { step, old, .. }| old.as_ref().and_then(|old| compare(&old.0, step).err()));
        let changed = changed.collect::<Vec<_>>();
        if changed.is_empty() { Ok(()) } else { Err(undo(done, changed)) }
    }
}

impl Step {
    /// Makes the change. `spare` is a temporary name for the old file.
    fn apply(mut self, spare: Temporary) -> Result<Done, Diagnostic> {
        let target = &self.target;
        let (new, content) = self.new.take().unzip();
        let result = match (new, self.old) {
            (Some(new), None) => rename(&new.0, target).map(|()| drop(new.keep())).map(|()| None),
            (Some(new), Some(_)) => replace(new, target, spare).map(Some),
            (None, _) => rename(target, &spare.0).map(|()| Some(spare)),
        };
        match result {
            Ok(old) => Ok(Done { step: self, new: content, old }),
            Err(error) if self.old.is_none() && error.kind() == ErrorKind::AlreadyExists => Err(changed(target)),
            Err(error) => Err(file::cannot(target, "replaced", &error)),
        }
    }
}

/// Replaces a file; returns the old one.
fn replace(new: Temporary, target: &Path, spare: Temporary) -> io::Result<Temporary> {
    if exchange(&new.0, target)? {
        return Ok(new);
    }
    // The old file gets a second name where it can have two; else it is copied.
    if fs::hard_link(target, &spare.0).is_err() {
        fs::copy(target, &spare.0)?;
        let modified = fs::metadata(target)?.modified()?;
        File::options().write(true).open(&spare.0)?.set_modified(modified)?;
    }
    fs::rename(&new.0, target)?;
    new.keep();
    Ok(spare)
}

/// Whether the file that was at the target has the bytes that the command read.
fn compare(path: &Path, step: &Step) -> Result<(), Diagnostic> {
    match file::existing(path) {
        Ok(found) if found.as_ref().map(Content::of) == step.old => Ok(()),
        Err(error) if path == step.target => Err(error),
        _ => Err(changed(&step.target)),
    }
}

/// The error for a file or folder that another program has changed.
pub fn changed(target: &Path) -> Diagnostic {
    let error =
        file::error("file::changed", target, "was changed by another program in the meantime, so nothing is written");
    error.help("run the command again")
}

/// Restores the old files after these errors, which are returned with those of the restoration.
fn undo(done: Vec<Done>, mut errors: Vec<Diagnostic>) -> Vec<Diagnostic> {
    for Done { step, new, old } in done.into_iter().rev() {
        let target = &step.target;
        if file::existing(target).is_ok_and(|found| found.map(Content::of) != new) {
            // An edit of the new file is not undone.
            errors.push(changed(target));
            continue;
        }
        let Some(old) = old else {
            let removed = fs::remove_file(target);
            errors.extend(removed.err().map(|error| file::cannot(target, "removed again after the failure", &error)));
            continue;
        };
        let restored = match fs::symlink_metadata(target) {
            // The new file gets the temporary name, and is removed with it.
            Ok(_) => {
                exchange(&old.0, target).and_then(|is_done| if is_done { Ok(()) } else { fs::rename(&old.0, target) })
            }
            Err(_) => rename(&old.0, target),
        };
        if let Err(reason) = restored {
            // Better left over than lost.
            let error = file::error("file::io", target, format!("cannot be restored after the failure: {reason}"));
            errors.push(error.help(format!("the old file is {}", old.keep().display())));
        }
    }
    errors
}

/// A new file. One that replaces another is on the disk before it does: the old one may be the only copy of a text.
fn write(path: &Path, text: &[u8], permissions: Option<Permissions>) -> io::Result<()> {
    let mut file = File::options().write(true).create_new(true).open(path)?;
    file.write_all(text)?;
    let Some(permissions) = permissions else { return Ok(()) };
    file.set_permissions(permissions)?;
    file.sync_data()
}
