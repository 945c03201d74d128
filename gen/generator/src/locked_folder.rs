//! The lock that lets one run at a time write to an output directory.
//!
//! Invariants: runs that write to the same directory wait for each other. A run removes temporary files and folders where it writes if no run
//! holds the lock that their names refer to: they belong to killed runs.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::{
    fs::TryLockError,
    thread,
    time::{Duration, Instant},
};

use crd_diagnostics::Diagnostic;

use crate::folder::{MadeFolders, present};
use crate::session::Session;
use crate::temporary::Names;
use crate::{file, temporary};

/// A folder that no other run writes to while this value lives.
#[derive(Debug)]
pub struct LockedFolder {
    // Fields are dropped in this order: the lock is released after empty folders are removed.
    made: MadeFolders,
    lock: Option<FolderLock>,
    folder: PathBuf,
    /// The folders without temporary files of killed runs.
    cleared: BTreeSet<PathBuf>,
    names: Names,
}

impl LockedFolder {
    /// Creates the folder if it does not exist, and waits until no other run writes to it.
    pub fn lock(folder: &Path, trusted: &Path, session: &mut Session<'_>) -> Result<Self, Diagnostic> {
        let mut made = MadeFolders::default();
        // While this run waits, the other run may fail and remove the folders that it created.
        for _ in 0..100 {
            if !present(folder, trusted)? {
                made.make(folder)?;
            }
            match flock(folder, session) {
                Ok(lock) => {
                    let (cleared, names) = (BTreeSet::new(), Names::default());
                    let mut locked = Self { made, lock, folder: folder.to_owned(), cleared, names };
                    locked.clear(folder);
                    return Ok(locked);
                }
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(file::cannot(folder, "opened", &error)),
            }
        }
        Err(file::error("file::busy", folder, "disappears as often as it is created")
            .help("stop the other program that works in it"))
    }

    /// Creates a folder below it, if it does not exist. No symlink is followed.
    pub fn make(&mut self, folder: &Path) -> Result<(), Diagnostic> {
        if !present(folder, &self.folder)? {
            self.made.make(folder)?;
        }
        self.clear(folder);
        Ok(())
    }

    /// A temporary path in such a folder.
    pub fn temporary(&mut self, folder: &Path) -> PathBuf {
        let levels = folder.strip_prefix(&self.folder).map_or(0, |below| below.components().count());
        self.names.path(folder, levels)
    }

    /// Removes what killed runs left in a folder. On filesystems without locks, nothing shows that a run was killed.
    pub fn clear(&mut self, folder: &Path) {
        if let (Some(own), true) = (&self.lock, self.cleared.insert(folder.to_owned())) {
            clear(folder, Some(&own.0));
        }
    }
}

/// Removes what killed runs left in a folder. `own` is locked by this run.
pub fn clear(folder: &Path, own: Option<&File>) {
    let entries = folder.canonicalize().and_then(|real| fs::read_dir(&real).map(|entries| (real, entries)));
    let Ok((folder, entries)) = entries else { return };
    for entry in entries.flatten() {
        let Some(levels) = temporary::levels(&entry.file_name()) else { continue };
        let Some(locked) = folder.ancestors().nth(levels) else { continue };
        // Held until the file is removed, so that no run begins meanwhile.
        let _held = match File::open(locked) {
            _ if own.is_some_and(|own| file::is_at(own, locked)) => None,
            Ok(folder) if folder.try_lock().is_ok() => Some(FolderLock(folder)),
            _ => continue,
        };
        temporary::remove(&entry.path());
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
        if file::is_at(&lock.0, folder) {
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
