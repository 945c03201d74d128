//! A lock file that the operating system releases when its owner ends, however that happens.
//!
//! Invariants: the locked file is the file at the path, even when another process removes the file at the same time. Only the owner of the
//! lock removes the file.

use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// A lock that this process owns, released on drop. The file remains unless [`Lock::remove`] is called.
#[derive(Debug)]
pub(crate) struct Lock {
    path: PathBuf,
    file: File,
}

impl Lock {
    /// Takes the lock; `None` if another process owns it.
    pub(crate) fn try_take(path: &Path) -> Result<Option<Lock>, Failure> {
        loop {
            let file = open(path)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(Failure::file("lock", path)(error)),
            }
            if is_file_at(&file, path) {
                return Ok(Some(Lock { path: path.to_owned(), file }));
            }
        }
    }

    /// Waits for the lock.
    pub(crate) fn take(path: &Path) -> Result<Lock, Failure> {
        loop {
            let file = open(path)?;
            file.lock().map_err(Failure::file("lock", path))?;
            if is_file_at(&file, path) {
                return Ok(Lock { path: path.to_owned(), file });
            }
        }
    }

    /// Releases the lock and removes its file.
    pub(crate) fn remove(self) {
        // Removed while it is still locked: a process that opened it before notices that the path no longer names its file. A file that
        // cannot be removed is empty and unlocked.
        let _ = fs::remove_file(&self.path);
    }
}

impl Drop for Lock {
    /// Closing the file is not enough: a child process that another thread starts inherits it between fork and exec.
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

fn open(path: &Path) -> Result<File, Failure> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(Failure::file("create", folder))?;
    }
    File::options().create(true).append(true).open(path).map_err(Failure::file("open", path))
}

fn is_file_at(file: &File, path: &Path) -> bool {
    let identity = |metadata: io::Result<fs::Metadata>| metadata.ok().map(|metadata| (metadata.dev(), metadata.ino()));
    identity(file.metadata()).is_some() && identity(file.metadata()) == identity(fs::metadata(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_has_one_owner_and_its_file_can_be_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("deep/er/lock");
        let lock = Lock::try_take(&path).expect("taken").expect("free");
        assert!(Lock::try_take(&path).expect("asked").is_none());
        lock.remove();
        assert!(!path.exists());
        drop(Lock::take(&path).expect("taken again"));
        assert!(Lock::try_take(&path).expect("asked").is_some());
    }

    #[test]
    fn a_child_process_does_not_keep_the_lock() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lock");
        let lock = Lock::try_take(&path).expect("taken").expect("free");
        let copy = lock.file.try_clone().expect("a copy");
        let mut child = std::process::Command::new("sleep").arg("60").stdin(copy).spawn().expect("started");
        drop(lock);
        let again = Lock::try_take(&path).expect("asked");
        child.kill().expect("killed");
        child.wait().expect("ended");
        assert!(again.is_some());
    }

    #[test]
    fn a_lock_on_a_removed_file_does_not_count() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lock");
        let old = open(&path).expect("opened");
        Lock::take(&path).expect("taken").remove();
        old.try_lock().expect("not locked");
        assert!(!is_file_at(&old, &path));
    }
}
