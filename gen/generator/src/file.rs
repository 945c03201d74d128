//! Reading of files, and diagnostics about files and folders.

use std::fs::{self, File, FileType, Metadata};
use std::hash::{DefaultHasher, Hasher as _};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crd_diagnostics::Diagnostic;

/// What a file contains: its length, and a hash of its bytes. An edit changes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Content(usize, u64);

impl Content {
    /// The content of a file with these bytes.
    pub fn of(bytes: impl AsRef<[u8]>) -> Self {
        let (bytes, mut hasher) = (bytes.as_ref(), DefaultHasher::new());
        hasher.write(bytes);
        Self(bytes.len(), hasher.finish())
    }
}

/// Whether an open file or folder is still the one at a path.
#[cfg(unix)]
pub fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    let id = |metadata: io::Result<Metadata>| metadata.ok().map(|metadata| (metadata.dev(), metadata.ino()));
    id(file.metadata()).is_some_and(|open| Some(open) == id(fs::metadata(path)))
}

/// This system keeps a path as long as a file is open.
#[cfg(not(unix))]
pub fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// The bytes of a file; `None` if it does not exist. A symlink is not followed.
pub fn existing(path: &Path) -> Result<Option<Vec<u8>>, Diagnostic> {
    read_regular(path, fs::symlink_metadata(path), |path| fs::read(path))
}

/// The bytes of a regular file with this metadata; `None` if it does not exist.
pub fn read_regular(
    path: &Path,
    metadata: io::Result<Metadata>,
    read: impl Fn(&Path) -> io::Result<Vec<u8>>,
) -> Result<Option<Vec<u8>>, Diagnostic> {
    let read = metadata.and_then(|metadata| match metadata.is_file() {
        true => read(path).map(Ok),
        false => Ok(Err(metadata.file_type())),
    });
    match read {
        Ok(Ok(bytes)) => Ok(Some(bytes)),
        Ok(Err(kind)) => Err(wrong_kind(path, kind, "file")),
        Err(error) if error.kind() == ErrorKind::NotFound && !leads_nowhere(path) => Ok(None),
        Err(error) => Err(cannot(path, "read", &error)),
    }
}

/// The folder of a file.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("."))
}

/// Whether a path does not exist because of a symlink to nothing: it cannot be read, and is not absent.
pub fn leads_nowhere(path: &Path) -> bool {
    path.ancestors().any(|above| above.is_symlink() && !above.exists())
}

/// A file or folder that is not as it must be. `predicate` follows its name: `is a symlink`.
pub fn error(code: &'static str, path: impl Into<PathBuf>, predicate: impl AsRef<str>) -> Diagnostic {
    let path = path.into();
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    Diagnostic::error(code, format!("`{name}` {}", predicate.as_ref())).at_file(path)
}

/// An error about the output directory, for a command with the option `--out`.
pub fn or_out(mut error: Diagnostic) -> Diagnostic {
    if let Some(help) = error.help.as_mut().filter(|help| help.ends_with("use another folder")) {
        help.push_str(" with `--out DIR`");
    }
    error
}

/// An error of the operating system. `action` completes "cannot be …".
pub fn cannot(path: impl Into<PathBuf>, action: &str, cause: &io::Error) -> Diagnostic {
    let help = match cause.kind() {
        ErrorKind::PermissionDenied if action.starts_with("read") => "give yourself the permission to read it",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "free disk space and run the command again",
        ErrorKind::FileTooLarge => "raise the limit of file sizes (`ulimit -f`) and run the command again",
        ErrorKind::ReadOnlyFilesystem => "mount the filesystem writable, or use another folder",
        ErrorKind::PermissionDenied => "give yourself the permission, or use another folder",
        _ => "",
    };
    error("file::io", path, format!("cannot be {action}: {cause}")).help(help)
}

/// Something else where a file or folder is needed. `wanted` is `file` or `folder`.
pub fn wrong_kind(path: impl Into<PathBuf>, kind: FileType, wanted: &str) -> Diagnostic {
    let (predicate, help) = if kind.is_symlink() {
        ("is a symlink, which is not followed".to_owned(), format!("remove it; a {wanted} replaces it"))
    } else if kind.is_dir() {
        (format!("is a folder, not a {wanted}"), "move it away".to_owned())
    } else if kind.is_file() {
        (format!("is a file, not a {wanted}"), "move it away, or use another folder".to_owned())
    } else {
        (format!("is neither a file nor a folder, and a {wanted} is needed"), "move it away".to_owned())
    };
    error("file::kind", path, predicate).help(help)
}
