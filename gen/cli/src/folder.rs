//! Output folders: what is in them, who works in them, and what may be touched.
//!
//! Fed with paths by the commands. Read by the comparison with what is there, and by [`crate::transaction`], which changes it.
//!
//! Invariants: nothing below the folder that the user named is followed if it is a symlink; nothing but regular files is opened; runs that
//! write into the same folder wait for each other, so that whatever lies there under the name of a temporary file belongs to a run that
//! was killed.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, FileType};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::fault::Fault;
use crate::session::Session;

/// How the names of temporary files begin.
pub(crate) const TEMPORARY_PREFIX: &str = ".crd-channels-";
/// How the names of temporary files end.
pub(crate) const TEMPORARY_SUFFIX: &str = ".tmp";

/// Why something may not stand where a file or folder of ours belongs.
pub(crate) fn refusal(kind: FileType, wanted: &str) -> String {
    if kind.is_symlink() {
        format!(
            "is a symlink, and is not followed: what it points at may not be ours to change. Remove it, and a {wanted} takes its place"
        )
    } else if kind.is_dir() {
        format!("is a folder, and a {wanted} is needed there: move it away")
    } else if kind.is_file() {
        format!("is a file, and a {wanted} is needed there: move it away, or choose another folder with `--out DIR`")
    } else {
        format!("is neither file nor folder, and a {wanted} is needed there: move it away")
    }
}

/// What lies in a folder, by name.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    entries: BTreeMap<OsString, FileType>,
}

impl Listing {
    /// Lists a folder that need not be there. `trusted` is the part of the path that the user named.
    pub(crate) fn of(folder: &Path, trusted: &Path) -> Result<Self, Fault> {
        match present(folder, trusted)? {
            true => Self::read(folder).map_err(|error| Fault::io(folder, "read", &error)),
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
pub(crate) fn present(folder: &Path, trusted: &Path) -> Result<bool, Fault> {
    let mut parts: Vec<&Path> = folder.ancestors().take_while(|part| *part != trusted).collect();
    parts.reverse();
    // The part that the user named may be a symlink; it is theirs.
    match fs::metadata(trusted) {
        Ok(metadata) if metadata.is_dir() => {}
        Ok(metadata) => return Err(Fault::file(trusted, refusal(metadata.file_type(), "folder"))),
        Err(error) if error.kind() == ErrorKind::NotFound && fs::symlink_metadata(trusted).is_err() => {
            return Ok(false);
        }
        Err(error) => return Err(Fault::io(trusted, "used as folder", &error)),
    }
    for part in parts {
        match fs::symlink_metadata(part) {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(metadata) => return Err(Fault::file(part, refusal(metadata.file_type(), "folder"))),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(Fault::io(part, "read", &error)),
        }
    }
    Ok(true)
}

/// Folders that were made for the output; those still empty go when this does.
#[derive(Debug, Default)]
pub(crate) struct MadeFolders(Vec<PathBuf>);

impl MadeFolders {
    /// Makes a folder and those above it.
    pub(crate) fn make(&mut self, folder: &Path) -> Result<(), Fault> {
        let missing: Vec<&Path> = folder.ancestors().take_while(|part| fs::metadata(part).is_err()).collect();
        for part in missing.into_iter().rev() {
            match fs::create_dir(part) {
                Ok(()) => self.0.push(part.to_path_buf()),
                // Another run was faster.
                Err(error) if error.kind() == ErrorKind::AlreadyExists && part.is_dir() => {}
                Err(error) => return Err(Fault::io(part, "made", &error)),
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

/// A folder in which no other run writes as long as this lives.
#[derive(Debug)]
pub(crate) struct HeldFolder {
    // In this order: the lock goes when the folders are gone.
    made: MadeFolders,
    lock: Option<File>,
}

impl HeldFolder {
    /// Makes the folder if need be, and waits until no other run works in it.
    pub(crate) fn hold(folder: &Path, trusted: &Path, session: &mut Session<'_>) -> Result<Self, Fault> {
        let mut made = MadeFolders::default();
        // Another run that fails takes the folders that it made with it, maybe while this one waits for it.
        for _ in 0..100 {
            if !present(folder, trusted)? {
                made.make(folder)?;
            }
            match lock(folder, session) {
                Ok(lock) => return Ok(Self { made, lock }),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(Fault::io(folder, "opened", &error)),
            }
        }
        Err(Fault::file(folder, "vanishes as often as it is made: end whatever else works in it"))
    }

    /// Makes a folder below.
    pub(crate) fn make(&mut self, folder: &Path) -> Result<(), Fault> {
        self.made.make(folder)
    }

    /// Whether it is known that no other run works in it: not so on filesystems without locks.
    pub(crate) fn is_alone(&self) -> bool {
        self.lock.is_some()
    }
}

/// The lock is on the folder itself, so that no lock file is left in anyone's tree, and ends with the process, however that ends. `None`
/// where there are no such locks; temporary files with names of their own still keep runs apart then.
#[cfg(unix)]
fn lock(folder: &Path, session: &mut Session<'_>) -> std::io::Result<Option<File>> {
    use std::fs::TryLockError;
    use std::os::unix::fs::MetadataExt;

    loop {
        let file = File::open(folder)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                session
                    .note(format_args!("waiting for another run that writes to {}", session.shown(folder).display()));
                file.lock()?;
            }
            Err(TryLockError::Error(_)) => return Ok(None),
        }
        // While this run waited, the folder may have become another one.
        let (locked, current) = (file.metadata()?, fs::metadata(folder)?);
        if (locked.dev(), locked.ino()) == (current.dev(), current.ino()) {
            return Ok(Some(file));
        }
    }
}

/// Folders cannot be opened as files here.
#[cfg(not(unix))]
fn lock(_folder: &Path, _session: &mut Session<'_>) -> std::io::Result<Option<File>> {
    Ok(None)
}
