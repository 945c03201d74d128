//! The release lock: one release at a time.
//!
//! Invariants: it is an `flock` on `bundles/.release.lock`, which the system releases when the process ends; a lock file of a killed process
//! blocks no release. A release does not wait for another one: it reports the process that holds the lock. A release that ends normally
//! leaves neither the lock file nor a folder that was created for it.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crd_diagnostics::Diagnostic;
use crd_generator::file;
use crd_generator::folder::{MadeFolders, present};
use crd_generator::root::BUNDLES;

use super::cannot;

/// The name of the file, in `bundles`.
pub(super) const FILE_NAME: &str = ".release.lock";

/// How often another release may remove the file after this one opens it and before it locks it.
const ATTEMPTS: usize = 100;

/// How long a lock may outlive its process: until a child process that it was starting closes its copy of the file.
const PATIENCE: Duration = Duration::from_secs(2);

/// The lock is held while this value lives.
#[derive(Debug)]
pub(crate) struct ReleaseLock {
    bundles: PathBuf,
    path: PathBuf,
    // Fields are dropped in this order.
    _made: MadeFolders,
    file: File,
}

impl ReleaseLock {
    /// The folder of the lock file.
    pub(super) fn bundles(&self) -> &Path {
        &self.bundles
    }
}

#[cfg(test)]
impl ReleaseLock {
    /// Starts a program with a copy of the locked file.
    pub(super) fn outlive(&self, program: &mut std::process::Command) -> std::process::Child {
        let copy = self.file.try_clone().unwrap();
        program.stdin(copy).spawn().unwrap()
    }
}

impl Drop for ReleaseLock {
    fn drop(&mut self) {
        if cfg!(unix) {
            // A release that opened the file before notices that it is gone (`is_at`). Other systems cannot detect that: there the file stays.
            let _ = fs::remove_file(&self.path);
        }
        // Closing the file is not enough: a child process that another thread starts inherits it between fork and exec.
        let _ = self.file.unlock();
    }
}

/// Takes the lock. An error names the process that holds it.
pub(crate) fn hold(root: &Path) -> Result<ReleaseLock, Diagnostic> {
    let bundles = root.join(BUNDLES);
    let path = bundles.join(FILE_NAME);
    for _ in 0..ATTEMPTS {
        let mut made = MadeFolders::default();
        if !present(&bundles, root)? {
            made.make(&bundles)?;
        }
        match fs::symlink_metadata(&path) {
            Ok(metadata) if !metadata.is_file() => {
                return Err(file::wrong_kind(path, metadata.file_type(), "file"));
            }
            _ => {}
        }
        let mut file = match open(&path) {
            Ok(file) => file,
            // Another release created the folder and removed it when it ended.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(cannot(&path, "opened", &error)),
        };
        lock(&mut file, &path)?;
        // Another release removes the file when it ends.
        if file::is_at(&file, &path) {
            // Only the message above needs it, so a full disk is not an error.
            let _ = write_holder(&mut file);
            return Ok(ReleaseLock { bundles, path, _made: made, file });
        }
    }
    Err(file::error("file::busy", path, "is removed as often as it is created: end the other process that works there"))
}

/// Locks the file. A killed process may have been starting a child process, which keeps the lock until its exec: waits for that.
fn lock(file: &mut File, path: &Path) -> Result<(), Diagnostic> {
    let started = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => {
                // This filesystem has no locks, so no release holds the file. Remove it if no process id is in it.
                if file.metadata().is_ok_and(|metadata| metadata.len() == 0) {
                    let _ = fs::remove_file(path);
                }
                return Err(cannot(path, "locked", &error));
            }
            Err(TryLockError::WouldBlock) => {}
        }
        let runs = holder(file).filter(|process| is_running(*process));
        if runs.is_some() || started.elapsed() > PATIENCE {
            let holder = runs.map_or(String::new(), |process| format!(" (process {process})"));
            let text = format!(
                "is held by another release{holder}, and there is one at a time: wait until it is done, and run this again"
            );
            return Err(file::error("file::busy", path, text));
        }
        thread::sleep(Duration::from_millis(5));
    }
}

#[cfg(unix)]
fn is_running(process: u32) -> bool {
    use rustix::io::Errno;
    use rustix::process::{Pid, test_kill_process};

    let process = i32::try_from(process).ok().and_then(Pid::from_raw);
    process.is_some_and(|process| test_kill_process(process) != Err(Errno::SRCH))
}

/// This system has no cheap test, so the process is assumed to run.
#[cfg(not(unix))]
fn is_running(_: u32) -> bool {
    true
}

#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;

    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    File::options().read(true).write(true).create(true).truncate(false).custom_flags(flags).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::options().read(true).write(true).create(true).truncate(false).open(path)
}

fn write_holder(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{}", std::process::id())
}

/// The process id in the file.
fn holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.take(16).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}
