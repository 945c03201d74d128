//! The lock that lets one run at a time write to an output directory.
//!
//! Invariants: runs that write to the same directory wait for each other, so a temporary file that a run finds there belongs to a killed run.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::Path;
#[cfg(unix)]
use std::{
    fs::TryLockError,
    thread,
    time::{Duration, Instant},
};

use crd_diagnostics::Diagnostic;

use crate::file;
use crate::folder::{MadeFolders, present};
use crate::session::Session;

/// A folder that no other run writes to while this value lives.
#[derive(Debug)]
pub(crate) struct LockedFolder {
    // Fields are dropped in this order: the lock is released after empty folders are removed.
    made: MadeFolders,
    lock: Option<FolderLock>,
}

impl LockedFolder {
    /// Creates the folder if it does not exist, and waits until no other run writes to it.
    pub(crate) fn lock(folder: &Path, trusted: &Path, session: &mut Session<'_>) -> Result<Self, Diagnostic> {
        let mut made = MadeFolders::default();
        // While this run waits, the other run may fail and remove the folders that it created.
        for _ in 0..100 {
            if !present(folder, trusted)? {
                made.make(folder)?;
            }
            match flock(folder, session) {
                Ok(lock) => return Ok(Self { made, lock }),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(file::cannot(folder, "opened", &error)),
            }
        }
        Err(file::error("file::busy", folder, "disappears as often as it is created")
            .help("stop the other program that works in it"))
    }

    /// Creates a folder below it.
    pub(crate) fn make(&mut self, folder: &Path) -> Result<(), Diagnostic> {
        self.made.make(folder)
    }

    /// Whether no other run can write to it. `false` on filesystems without locks.
    pub(crate) fn is_alone(&self) -> bool {
        self.lock.is_some()
    }
}

/// An `flock` on an output folder.
///
/// Closing the file is not enough to release it: a child process that another thread starts inherits the file between fork and exec, and
/// the lock stays until that child closes its copy. Unlocking releases the lock for all copies.
#[derive(Debug)]
struct FolderLock(File);

impl Drop for FolderLock {
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

/// Waits this long before it prints that it waits: most runs are shorter.
#[cfg(unix)]
const SILENCE: Duration = Duration::from_secs(1);

/// Locks the folder itself, so that no lock file stays in the tree. The system releases the lock when the process ends. Returns `None` where
/// the filesystem has no locks; the unique names of temporary files still keep runs apart there.
#[cfg(unix)]
fn flock(folder: &Path, session: &mut Session<'_>) -> std::io::Result<Option<FolderLock>> {
    use std::os::unix::fs::MetadataExt;

    let started = Instant::now();
    let mut is_announced = false;
    loop {
        let file = File::open(folder)?;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(_)) => return Ok(None),
                Err(TryLockError::WouldBlock) => {}
            }
            if !is_announced && started.elapsed() >= SILENCE {
                is_announced = true;
                session
                    .note(format_args!("waiting for another run that writes to {}", session.shown(folder).display()));
            }
            thread::sleep(Duration::from_millis(10));
        }
        let lock = FolderLock(file);
        // While this run waited, another run may have replaced the folder.
        let (locked, current) = (lock.0.metadata()?, fs::metadata(folder)?);
        if (locked.dev(), locked.ino()) == (current.dev(), current.ino()) {
            return Ok(Some(lock));
        }
    }
}

/// Folders cannot be opened as files on this system.
#[cfg(not(unix))]
fn flock(_folder: &Path, _session: &mut Session<'_>) -> std::io::Result<Option<FolderLock>> {
    Ok(None)
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use std::process::{Child, Command};
    use std::sync::mpsc;

    use super::*;

    /// Locks the folder and returns what was printed meanwhile.
    fn lock(folder: &Path) -> (LockedFolder, String) {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let locked = LockedFolder::lock(folder, folder, &mut Session::new(folder, &mut out, &mut err)).unwrap();
        (locked, String::from_utf8(err).unwrap())
    }

    /// A child process with a copy of the locked file, as between fork and exec.
    fn child_with(locked: &LockedFolder) -> Child {
        let copy = locked.lock.as_ref().unwrap().0.try_clone().unwrap();
        Command::new("sleep").arg("600").stdin(copy).spawn().unwrap()
    }

    #[test]
    fn a_child_process_does_not_keep_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let (locked, _) = lock(folder.path());
        let mut child = child_with(&locked);
        drop(locked);
        let (ended, is_ended) = mpsc::channel();
        let path = folder.path().to_owned();
        thread::spawn(move || ended.send(lock(&path).1));
        let printed = is_ended.recv_timeout(Duration::from_secs(300));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(printed.as_deref(), Ok(""));
    }

    #[test]
    fn waiting_is_announced_once_after_one_second() {
        let folder = tempfile::tempdir().unwrap();
        let (locked, _) = lock(folder.path());
        let path = folder.path().to_owned();
        let (note, notes) = mpsc::channel();
        let started = Instant::now();
        let waiting = thread::spawn(move || {
            let (mut out, mut err) = (Vec::new(), Notes(note));
            LockedFolder::lock(&path, &path, &mut Session::new(&path, &mut out, &mut err)).unwrap();
        });
        let mut printed = notes.recv_timeout(Duration::from_secs(300)).unwrap();
        assert!(started.elapsed() >= SILENCE);
        thread::sleep(SILENCE / 4);
        drop(locked);
        waiting.join().unwrap();
        printed.extend(notes.iter());
        assert_eq!(printed.matches("waiting for another run that writes to ").count(), 1, "{printed}");
    }

    /// Standard error whose text is read while it is written.
    struct Notes(mpsc::Sender<String>);

    impl std::io::Write for Notes {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.send(String::from_utf8_lossy(bytes).into_owned()).unwrap();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
}
