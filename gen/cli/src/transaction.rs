//! Transactions: many files change together, or none does.
//!
//! Fed with new texts and with files that go. Read by nobody; the filesystem is what changes.
//!
//! Invariants: new texts are first written beside their targets, then renamed over them, so that a reader sees a whole old or a whole new
//! file at any time; when anything fails, every old file is there again as the very file it was (times too), and no temporary file is
//! left. A run that is killed leaves files under temporary names, which the next run recognises.
//!
//! Not synced to the disk: files that can be generated again are not worth the wait.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile, TempPath};

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
    /// The new text; `None`: the file goes.
    text: Option<TempPath>,
    /// Whether there is an old file.
    existed: bool,
}

impl Transaction {
    /// Puts the new text of a file beside it.
    pub(crate) fn write(&mut self, target: PathBuf, text: &str) -> Result<(), Diagnostic> {
        match beside(&target, text) {
            Ok((text, existed)) => {
                self.steps.push(Step { target, text: Some(text), existed });
                Ok(())
            }
            Err(error) => Err(file::cannot(&target, "written", &error)),
        }
    }

    /// Notes a file that goes.
    pub(crate) fn remove(&mut self, target: PathBuf) {
        self.steps.push(Step { target, text: None, existed: true });
    }

    /// Does all of it. More than one fault means that a failure could not be undone altogether.
    pub(crate) fn commit(self) -> Result<(), Vec<Diagnostic>> {
        let mut old_files = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let old = if step.existed { Some(second_name(&step.target)) } else { None };
            old_files.push(old.transpose().map_err(|error| {
                vec![file::cannot(&step.target, "kept for the case of a failure, so it is not replaced", &error)]
            })?);
        }
        let mut done: Vec<(PathBuf, Option<TempPath>)> = Vec::with_capacity(self.steps.len());
        for (step, old) in self.steps.into_iter().zip(old_files) {
            let result = match step.text {
                Some(text) => text.persist(&step.target).map_err(|error| error.error),
                None => fs::remove_file(&step.target),
            };
            if let Err(error) = result {
                let mut faults = vec![file::cannot(&step.target, "replaced", &error)];
                for (target, old) in done.into_iter().rev() {
                    faults.extend(undo(&target, old).err());
                }
                return Err(faults);
            }
            done.push((step.target, old));
        }
        Ok(())
    }
}

/// The text in a file beside the target, with the permissions of the target if it is there, which is said too.
fn beside(target: &Path, text: &str) -> io::Result<(TempPath, bool)> {
    let old = fs::symlink_metadata(target).ok();
    let mut temporary = temporary(target, |path| File::options().write(true).create_new(true).open(path))?;
    // Not through the wrapper, whose errors name the temporary file and forget the system's reason.
    temporary.as_file_mut().write_all(text.as_bytes())?;
    if let Some(old) = &old {
        temporary.as_file().set_permissions(old.permissions())?;
    }
    Ok((temporary.into_temp_path(), old.is_some()))
}

/// The old file under a second name: the file itself where it can have two, else a copy.
fn second_name(target: &Path) -> io::Result<TempPath> {
    if let Ok(linked) = temporary(target, |path| fs::hard_link(target, path)) {
        return Ok(linked.into_temp_path());
    }
    let mut copy = temporary(target, |path| File::options().write(true).create_new(true).open(path))?;
    let mut old = File::open(target)?;
    io::copy(&mut old, copy.as_file_mut())?;
    let metadata = old.metadata()?;
    copy.as_file().set_permissions(metadata.permissions())?;
    copy.as_file().set_modified(metadata.modified()?)?;
    Ok(copy.into_temp_path())
}

/// Makes something under a temporary name beside the target. The number of the process is for people who find one.
fn temporary<R>(target: &Path, make: impl FnMut(&Path) -> io::Result<R>) -> io::Result<NamedTempFile<R>> {
    let prefix = format!("{TEMPORARY_PREFIX}{}-", std::process::id());
    Builder::new().prefix(&prefix).suffix(TEMPORARY_SUFFIX).make_in(target.parent().unwrap_or(Path::new(".")), make)
}

fn undo(target: &Path, old: Option<TempPath>) -> Result<(), Diagnostic> {
    let Some(old) = old else {
        return fs::remove_file(target)
            .map_err(|error| file::cannot(target, "removed again after the failure", &error));
    };
    old.persist(target).map_err(|error| {
        let reason = &error.error;
        // Better left over than lost.
        let problem = file::problem("file::io", target, format!("cannot be restored after the failure: {reason}"));
        match error.path.keep() {
            Ok(kept) => problem.help(format!("the old file is {}", kept.display())),
            Err(_) => problem,
        }
    })
}
