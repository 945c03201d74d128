//! Key files: read, and a private key only if no other user can read it.
//!
//! Invariants: the mode is that of the open file, because the path can lead to another file a moment later. No byte of a key is in a message.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use crd_diagnostics::Diagnostic;
use crd_oci::signature::{PublicKey, SigningKey};

use crd_generator::file;

/// The largest key file that is read, in bytes: 20 times that of an RSA key.
const MOST_BYTES: u64 = 1 << 16;

/// The private key in a file, or in the target of a symlink.
pub(crate) fn private(path: &Path) -> Result<SigningKey, Diagnostic> {
    let file = open(path)?;
    only_of_owner(&file, path)?;
    SigningKey::from_pem(&text(file, path)?).map_err(|error| error.at_file(path))
}

/// The public key in a file, or in the target of a symlink.
pub(crate) fn public(path: &Path) -> Result<PublicKey, Diagnostic> {
    PublicKey::from_pem(&text(open(path)?, path)?).map_err(|error| error.at_file(path))
}

/// Opens a regular file. A pipe would block.
fn open(path: &Path) -> Result<File, Diagnostic> {
    let kind = fs::metadata(path).map_err(|error| file::cannot(path, "read", &error))?.file_type();
    if !kind.is_file() {
        return Err(file::wrong_kind(path, kind, "file").help("name the file of the key"));
    }
    File::open(path).map_err(|error| file::cannot(path, "read", &error))
}

#[cfg(unix)]
fn only_of_owner(file: &File, path: &Path) -> Result<(), Diagnostic> {
    use std::os::unix::fs::PermissionsExt;

    let mode = file.metadata().map_err(|error| file::cannot(path, "read", &error))?.permissions().mode();
    if mode & 0o077 == 0 {
        return Ok(());
    }
    let predicate =
        format!("has the mode {:04o}: users other than its owner have rights to this private key", mode & 0o777);
    let help = format!("run `chmod 600 {}`; use another key if such a user may have read it", path.display());
    Err(file::error("signature::key-access", path, predicate).help(help))
}

/// This system has no modes.
#[cfg(not(unix))]
fn only_of_owner(_: &File, _: &Path) -> Result<(), Diagnostic> {
    Ok(())
}

/// The text of a key file; empty if it is not text, and then without a key in PEM.
fn text(file: File, path: &Path) -> Result<String, Diagnostic> {
    let mut bytes = Vec::new();
    let read = file.take(MOST_BYTES).read_to_end(&mut bytes);
    read.map_err(|error| file::cannot(path, "read", &error))?;
    Ok(String::from_utf8(bytes).unwrap_or_default())
}
