//! Output directories: their contents, and the lock that lets one run at a time write to a directory.
//!
//! Invariants: symlinks below the directory that the user named are not followed; only regular files are opened; runs that write to the same
//! directory wait for each other, so a temporary file that a run finds there belongs to a killed run.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, FileType};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::{
    fs::TryLockError,
    thread,
    time::{Duration, Instant},
};

use crate::file;
use crate::session::Session;
use crd_diagnostics::Diagnostic;

/// How the names of temporary files begin.
pub(crate) const TEMPORARY_PREFIX: &str = ".crd-channels-";
/// How the names of temporary files end.
pub(crate) const TEMPORARY_SUFFIX: &str = ".tmp";

/// What lies in a folder, by name.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    entries: BTreeMap<OsString, FileType>,
}

impl Listing {
    /// Lists a folder that need not be there. `trusted` is the part of the path that the user named.
    pub(crate) fn of(folder: &Path, trusted: &Path) -> Result<Self, Diagnostic> {
        match present(folder, trusted)? {
            true => Self::read(folder).map_err(|error| file::cannot(folder, "read", &error)),
            false => Ok(Self::default()),
        }
    }

    fn read(folder: &Path) -> std::io::Result<Self> {
        let mut entries = BTreeMap::new();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            match entry.file_type() {
                Ok(kind) => _ = entries.insert(entry.file_name(), kind),
                // Gone since it was listed: some other run's temporary file.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Self { entries })
    }

    /// What stands under this name.
    pub(crate) fn kind(&self, name: &str) -> Option<FileType> {
        self.entries.get(OsStr::new(name)).copied()
    }

    /// Everything but temporary files.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&OsStr, FileType)> {
        self.entries.iter().filter(|(name, _)| !is_temporary(name)).map(|(name, kind)| (name.as_os_str(), *kind))
    }

    /// The temporary files.
    pub(crate) fn temporaries(&self) -> impl Iterator<Item = &OsStr> {
        self.entries
            .iter()
            .filter(|(name, kind)| kind.is_file() && is_temporary(name))
            .map(|(name, _)| name.as_os_str())
    }
}

fn is_temporary(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.starts_with(TEMPORARY_PREFIX.as_bytes()) && name.ends_with(TEMPORARY_SUFFIX.as_bytes())
}

/// Whether a folder is there. A fault if something else is, or if a symlink leads to it below the trusted part.
pub(crate) fn present(folder: &Path, trusted: &Path) -> Result<bool, Diagnostic> {
    let mut parts: Vec<&Path> = folder.ancestors().take_while(|part| *part != trusted).collect();
    parts.reverse();
    // The part that the user named may be a symlink; it is theirs.
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

/// Folders that were made for the output; those still empty go when this does.
#[derive(Debug, Default)]
pub(crate) struct MadeFolders(Vec<PathBuf>);

impl MadeFolders {
    /// Makes a folder and those above it.
    pub(crate) fn make(&mut self, folder: &Path) -> Result<(), Diagnostic> {
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
            // Refused by the system when something is in it, which is what is wanted.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// A folder that no other run writes to while this value lives.
#[derive(Debug)]
pub(crate) struct HeldFolder {
    // Fields are dropped in this order: the lock is released after empty folders are removed.
    made: MadeFolders,
    lock: Option<FolderLock>,
}

impl HeldFolder {
    /// Creates the folder if it does not exist, and waits until no other run writes to it.
    pub(crate) fn hold(folder: &Path, trusted: &Path, session: &mut Session<'_>) -> Result<Self, Diagnostic> {
        let mut made = MadeFolders::default();
        // While this run waits, the other run may fail and remove the folders that it created.
        for _ in 0..100 {
            if !present(folder, trusted)? {
                made.make(folder)?;
            }
            match lock(folder, session) {
                Ok(lock) => return Ok(Self { made, lock }),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(file::cannot(folder, "opened", &error)),
            }
        }
        Err(file::problem("file::busy", folder, "disappears as often as it is created")
            .help("stop the other program that works in it"))
    }

    /// Creates a folder below.
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
fn lock(folder: &Path, session: &mut Session<'_>) -> std::io::Result<Option<FolderLock>> {
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
fn lock(_folder: &Path, _session: &mut Session<'_>) -> std::io::Result<Option<FolderLock>> {
    Ok(None)
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use std::process::{Child, Command};
    use std::sync::mpsc;

    use super::*;

    /// Locks the folder and returns what was printed meanwhile.
    fn hold(folder: &Path) -> (HeldFolder, String) {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let held = HeldFolder::hold(folder, folder, &mut Session::new(folder, &mut out, &mut err)).unwrap();
        (held, String::from_utf8(err).unwrap())
    }

    /// A child process with a copy of the locked file, as between fork and exec.
    fn child_with(held: &HeldFolder) -> Child {
        let copy = held.lock.as_ref().unwrap().0.try_clone().unwrap();
        Command::new("sleep").arg("60").stdin(copy).spawn().unwrap()
    }

    #[test]
    fn a_child_process_does_not_keep_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let (held, _) = hold(folder.path());
        let mut child = child_with(&held);
        drop(held);
        let (ended, is_ended) = mpsc::channel();
        let path = folder.path().to_owned();
        thread::spawn(move || ended.send(hold(&path).1));
        let printed = is_ended.recv_timeout(Duration::from_secs(30));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(printed.as_deref(), Ok(""));
    }

    #[test]
    fn waiting_is_announced_once_after_one_second() {
        let folder = tempfile::tempdir().unwrap();
        let (held, _) = hold(folder.path());
        let path = folder.path().to_owned();
        let (note, notes) = mpsc::channel();
        let started = Instant::now();
        let waiting = thread::spawn(move || {
            let (mut out, mut err) = (Vec::new(), Notes(note));
            HeldFolder::hold(&path, &path, &mut Session::new(&path, &mut out, &mut err)).unwrap();
        });
        let mut printed = notes.recv_timeout(Duration::from_secs(60)).unwrap();
        assert!(started.elapsed() >= SILENCE);
        thread::sleep(SILENCE / 4);
        drop(held);
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
