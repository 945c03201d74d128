//! Transactions: many files change together, or none does.
//!
//! Invariants: new texts are first written next to their targets, then renamed over them, so that a reader sees a whole old or a whole new
//! file at any time. After a failure, every old file is restored, with its times, and no temporary file is left. A killed run leaves files
//! with temporary names, which the next run recognises.
//!
//! Files are not synced to the disk, because they can be generated again.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::file;
use crate::folder::{TEMPORARY_PREFIX, TEMPORARY_SUFFIX};
use crd_diagnostics::Diagnostic;

/// Changes that happen together.
#[derive(Debug, Default)]
pub(crate) struct Transaction {
    steps: Vec<Step>,
}

#[derive(Debug)]
struct Step {
    target: PathBuf,
    /// The new text; `None` to remove the file.
    text: Option<Temporary>,
    /// Whether there is an old file.
    existed: bool,
}

impl Transaction {
    /// Writes the new text next to the file.
    pub(crate) fn write(&mut self, target: PathBuf, text: impl AsRef<[u8]>) -> Result<(), Diagnostic> {
        match next_to(&target, text.as_ref()) {
            Ok((text, existed)) => {
                self.steps.push(Step { target, text: Some(text), existed });
                Ok(())
            }
            Err(error) => Err(file::cannot(&target, "written", &error)),
        }
    }

    /// Removes a file.
    pub(crate) fn remove(&mut self, target: PathBuf) {
        self.steps.push(Step { target, text: None, existed: true });
    }

    /// Makes all changes. More than one error means that a failure could not be undone completely.
    pub(crate) fn commit(self) -> Result<(), Vec<Diagnostic>> {
        let mut old_files = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let old = if step.existed { Some(second_name(&step.target)) } else { None };
            old_files.push(old.transpose().map_err(|error| {
                vec![file::cannot(&step.target, "kept for the case of a failure, so it is not replaced", &error)]
            })?);
        }
        let mut done: Vec<(PathBuf, Option<Temporary>)> = Vec::with_capacity(self.steps.len());
        for (step, old) in self.steps.into_iter().zip(old_files) {
            let result = match step.text {
                Some(text) => text.persist(&step.target).map_err(|(_, error)| error),
                None => fs::remove_file(&step.target),
            };
            if let Err(error) = result {
                let mut errors = vec![file::cannot(&step.target, "replaced", &error)];
                for (target, old) in done.into_iter().rev() {
                    errors.extend(undo(&target, old).err());
                }
                return Err(errors);
            }
            done.push((step.target, old));
        }
        Ok(())
    }
}

/// A file under a temporary name. It is removed unless it gets its final name.
#[derive(Debug)]
struct Temporary(PathBuf);

impl Temporary {
    /// Makes a file with a temporary name in the folder of the target. The number of the process is for people who find one.
    fn make<R>(target: &Path, make: impl Fn(&Path) -> io::Result<R>) -> io::Result<(Self, R)> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let folder = target.parent().unwrap_or(Path::new("."));
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = folder.join(format!("{TEMPORARY_PREFIX}{}-{count}{TEMPORARY_SUFFIX}", std::process::id()));
            match make(&path) {
                Ok(made) => return Ok((Self(path), made)),
                // A killed process with the same number left it.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Makes an empty file.
    fn file(target: &Path) -> io::Result<(Self, File)> {
        Self::make(target, |path| File::options().write(true).create_new(true).open(path))
    }

    /// Gives the file its final name, which replaces a file of that name. After a failure the temporary file is still there.
    fn persist(self, target: &Path) -> Result<(), (Self, io::Error)> {
        match fs::rename(&self.0, target) {
            Ok(()) => {
                self.keep();
                Ok(())
            }
            Err(error) => Err((self, error)),
        }
    }

    /// Leaves the file as it is; returns its path.
    fn keep(mut self) -> PathBuf {
        std::mem::take(&mut self.0)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.0.as_os_str().is_empty() {
            // The next run recognises and removes what stays.
            let _ = fs::remove_file(&self.0);
        }
    }
}

/// The text in a new file in the folder of the target, with the permissions of the target if it exists; and whether it exists.
fn next_to(target: &Path, text: &[u8]) -> io::Result<(Temporary, bool)> {
    let old = fs::symlink_metadata(target).ok();
    let (temporary, mut file) = Temporary::file(target)?;
    file.write_all(text)?;
    if let Some(old) = &old {
        file.set_permissions(old.permissions())?;
    }
    Ok((temporary, old.is_some()))
}

/// The old file under a second name: the file itself where it can have two, else a copy.
fn second_name(target: &Path) -> io::Result<Temporary> {
    if let Ok((linked, ())) = Temporary::make(target, |path| fs::hard_link(target, path)) {
        return Ok(linked);
    }
    let (temporary, mut copy) = Temporary::file(target)?;
    let mut old = File::open(target)?;
    io::copy(&mut old, &mut copy)?;
    let metadata = old.metadata()?;
    copy.set_permissions(metadata.permissions())?;
    copy.set_modified(metadata.modified()?)?;
    Ok(temporary)
}

fn undo(target: &Path, old: Option<Temporary>) -> Result<(), Diagnostic> {
    let Some(old) = old else {
        return fs::remove_file(target)
            .map_err(|error| file::cannot(target, "removed again after the failure", &error));
    };
    old.persist(target).map_err(|(old, reason)| {
        // Better left over than lost.
        file::error("file::io", target, format!("cannot be restored after the failure: {reason}"))
            .help(format!("the old file is {}", old.keep().display()))
    })
}
