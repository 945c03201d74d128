//! A name that one process holds: a lock file that the operating system gives back when its holder ends, however that happens.
//!
//! Read by the build of the programs (one build at a time) and by keepers (a held lock means that the testbed lives).
//!
//! Invariants: the file that is locked is the one that lies at the path, also when others remove such files at the same time; only a
//! holder removes one.

use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// A held lock. Dropped, it is given back; the file stays unless [`Held::remove`] is called.
#[derive(Debug)]
pub(crate) struct Held {
    path: PathBuf,
    _file: File,
}

impl Held {
    /// Takes the lock, or says that somebody has it.
    pub(crate) fn try_take(path: &Path) -> Result<Option<Held>, Failure> {
        loop {
            let file = open(path)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(Failure::file("lock", path)(error)),
            }
            if lies_at(&file, path) {
                return Ok(Some(Held { path: path.to_owned(), _file: file }));
            }
        }
    }

    /// Waits for the lock.
    pub(crate) fn take(path: &Path) -> Result<Held, Failure> {
        loop {
            let file = open(path)?;
            file.lock().map_err(Failure::file("lock", path))?;
            if lies_at(&file, path) {
                return Ok(Held { path: path.to_owned(), _file: file });
            }
        }
    }

    /// Gives the lock back and leaves no file.
    pub(crate) fn remove(self) {
        // While it is still held: whoever opened it meanwhile finds that it no longer lies there. If it cannot be removed it is only an
        // empty file that nobody holds.
        let _ = fs::remove_file(&self.path);
    }
}

fn open(path: &Path) -> Result<File, Failure> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(Failure::file("create", folder))?;
    }
    File::options().create(true).append(true).open(path).map_err(Failure::file("open", path))
}

fn lies_at(file: &File, path: &Path) -> bool {
    let identity = |metadata: io::Result<fs::Metadata>| metadata.ok().map(|metadata| (metadata.dev(), metadata.ino()));
    identity(file.metadata()).is_some() && identity(file.metadata()) == identity(fs::metadata(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holder_at_a_time_and_no_file_left() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("deep/er/lock");
        let held = Held::try_take(&path).expect("taken").expect("free");
        assert!(Held::try_take(&path).expect("asked").is_none());
        held.remove();
        assert!(!path.exists());
        drop(Held::take(&path).expect("taken again"));
        assert!(Held::try_take(&path).expect("asked").is_some());
    }

    #[test]
    fn a_lock_on_a_removed_file_is_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lock");
        let old = open(&path).expect("opened");
        Held::take(&path).expect("taken").remove();
        old.try_lock().expect("nobody holds it");
        assert!(!lies_at(&old, &path));
    }
}
