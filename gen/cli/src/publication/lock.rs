//! The lock: one release at a time.
//!
//! Fed with the root. Read by the command `release`, which holds it while it publishes.
//!
//! Invariants: it is a lock of the system on `bundles/.release.lock`, so it ends with its process, however that ends; a file that a killed
//! process left behind holds nobody up. Nobody waits for a release that runs: who comes second is told. Where releases end as they should, neither the file nor a
//! folder made for it is left.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::fault;
use crate::fault::Fault;
use crate::folder::{MadeFolders, present, refusal};
use crate::source::BUNDLES;

/// The name of the file, in `bundles`.
pub(super) const FILE_NAME: &str = ".release.lock";

/// So often another release may take the file away between its opening and its locking.
const ATTEMPTS: usize = 100;

/// So long may a lock outlive its process.
const PATIENCE: Duration = Duration::from_secs(2);

/// Held as long as this lives.
#[derive(Debug)]
pub(crate) struct ReleaseLock {
    bundles: PathBuf,
    path: PathBuf,
    // In this order: the folder goes, if it is empty, before the lock ends.
    _made: MadeFolders,
    _file: File,
}

impl ReleaseLock {
    /// The folder that it lies in.
    pub(super) fn bundles(&self) -> &Path {
        &self.bundles
    }
}

#[cfg(test)]
impl ReleaseLock {
    /// Starts a program that has the lock too.
    pub(super) fn outlive(&self, program: &mut std::process::Command) -> std::process::Child {
        let copy = self._file.try_clone().unwrap();
        program.stdin(copy).spawn().unwrap()
    }
}

impl Drop for ReleaseLock {
    fn drop(&mut self) {
        if cfg!(unix) {
            // Whoever opened it and waits for nothing sees that its name is gone. Elsewhere that cannot be seen, and the file stays.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Takes the lock, or says who has it.
pub(crate) fn hold(root: &Path) -> Result<ReleaseLock, Fault> {
    let bundles = root.join(BUNDLES);
    let path = bundles.join(FILE_NAME);
    for _ in 0..ATTEMPTS {
        let mut made = MadeFolders::default();
        if !present(&bundles, root)? {
            made.make(&bundles)?;
        }
        match fs::symlink_metadata(&path) {
            Ok(metadata) if !metadata.is_file() => {
                return Err(Fault::file(path, refusal(metadata.file_type(), "file")));
            }
            _ => {}
        }
        let mut file = match open(&path) {
            Ok(file) => file,
            // The folder was another release's, and went with it.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(fault(&path, "opened", &error)),
        };
        match lock(&mut file) {
            Ok(()) => {}
            Err(Refused::Held(process)) => {
                let holder = process.map_or(String::new(), |process| format!(" (process {process})"));
                let text = format!(
                    "is held by another release{holder}, and there is one at a time: wait until it is done, and run this again"
                );
                return Err(Fault::file(path, text));
            }
            Err(Refused::Failed(error)) => {
                // Where nothing can be locked, nobody holds it; it is not left if nobody else's number is in it.
                if file.metadata().is_ok_and(|metadata| metadata.len() == 0) {
                    let _ = fs::remove_file(&path);
                }
                return Err(fault(&path, "locked", &error));
            }
        }
        if is_at(&file, &path) {
            // For the message above only; a full disk does not matter here.
            let _ = write_holder(&mut file);
            return Ok(ReleaseLock { bundles, path, _made: made, _file: file });
        }
    }
    Err(Fault::file(path, "vanishes as often as it is made: end whatever else works there"))
}

/// Why a file was not locked.
enum Refused {
    /// Another process has the lock; its number, if it is known and runs.
    Held(Option<u32>),
    /// The system or the filesystem cannot do it.
    Failed(io::Error),
}

/// Locks the file, or says who has done it. What a killed process was just starting has its open files, and so its lock, until it runs itself:
/// that moment is waited for.
fn lock(file: &mut File) -> Result<(), Refused> {
    let started = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(Refused::Failed(error)),
            Err(TryLockError::WouldBlock) => {}
        }
        let runs = holder(file).filter(|process| is_running(*process));
        if runs.is_some() || started.elapsed() > PATIENCE {
            return Err(Refused::Held(runs));
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

/// Nobody can tell here without asking more than it is worth.
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

/// Whether the file still has its name: another release that ended meanwhile took it away.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    let place = |metadata: &fs::Metadata| (metadata.dev(), metadata.ino());
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(locked), Ok(named)) => place(&locked) == place(&named),
        _ => false,
    }
}

/// It is never taken away here.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

fn write_holder(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{}", std::process::id())
}

/// The process that the file names.
fn holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.take(16).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}
