//! Variants of rename: one that replaces nothing, and one that exchanges two names.
//!
//! Invariants: each is one step for every other program.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Renames, and fails if the new name exists.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    if flagged(from, to, Flag::NoReplace)? {
        return Ok(());
    }
    // Only a process that ignores the lock can interfere here.
    match fs::symlink_metadata(to) {
        Ok(_) => Err(ErrorKind::AlreadyExists.into()),
        Err(error) if error.kind() == ErrorKind::NotFound => fs::rename(from, to),
        Err(error) => Err(error),
    }
}

/// Exchanges two names. Returns `false` if the system or the filesystem cannot.
pub fn exchange(one: &Path, other: &Path) -> io::Result<bool> {
    flagged(one, other, Flag::Exchange)
}

#[derive(Clone, Copy)]
enum Flag {
    NoReplace,
    Exchange,
}

/// Returns `false` if the system or the filesystem does not support the flag.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn flagged(from: &Path, to: &Path, flag: Flag) -> io::Result<bool> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;

    let flags = match flag {
        Flag::NoReplace => RenameFlags::NOREPLACE,
        Flag::Exchange => RenameFlags::EXCHANGE,
    };
    match renameat_with(CWD, from, CWD, to, flags) {
        Ok(()) => Ok(true),
        Err(error) if [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP, Errno::OPNOTSUPP].contains(&error) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn flagged(_: &Path, _: &Path, _: Flag) -> io::Result<bool> {
    Ok(false)
}
