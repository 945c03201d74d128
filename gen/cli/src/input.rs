//! Reading of bundles and of the files next to them, up to the size limit of an input.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use crd_bundle::published::{Input, limits};
use crd_diagnostics::Diagnostic;

use crd_generator::file;
use crd_generator::session::Session;

/// Standard input, as an argument.
pub(crate) const STANDARD_INPUT: &str = "-";

/// One byte more than the limit: enough for the reader of inputs to report it.
const MAX_BYTES: u64 = limits::MOST_BYTES as u64 + 1;

pub(crate) fn standard(session: &Session<'_>) -> Result<Input, Diagnostic> {
    match session.read_input(MAX_BYTES) {
        Ok(bytes) => Ok(Input::new(STANDARD_INPUT, bytes)),
        Err(error) => Err(Diagnostic::error("file::io", format!("cannot read standard input: {error}"))),
    }
}

/// A file that the user named, or that is in a folder that the user named. `name` is for messages.
pub(crate) fn named(path: &Path, name: &str) -> Result<Input, Diagnostic> {
    let bytes = read(path).map_err(|error| file::cannot(path, "read", &error))?;
    Ok(Input::new(name, bytes))
}

/// The bytes of a file; `None` if it does not exist. It must be a regular file or a symlink to one, because opening a pipe blocks, and a
/// device has no end.
pub(crate) fn bytes(path: &Path) -> Result<Option<Vec<u8>>, Diagnostic> {
    file::read_regular(path, fs::metadata(path), read)?.map(|bytes| not_too_large(bytes, path)).transpose()
}

fn not_too_large(bytes: Vec<u8>, path: &Path) -> Result<Vec<u8>, Diagnostic> {
    if bytes.len() > limits::MOST_BYTES {
        let predicate = format!("is larger than {} MiB, the limit for a file", limits::MOST_BYTES >> 20);
        return Err(file::error("too-large", path, predicate));
    }
    Ok(bytes)
}

/// The same as text.
pub(crate) fn text(path: &Path) -> Result<Option<String>, Diagnostic> {
    bytes(path)?.map(|bytes| text_of(bytes, path)).transpose()
}

/// The text of a file that was read.
pub(crate) fn text_of(bytes: Vec<u8>, path: &Path) -> Result<String, Diagnostic> {
    let text = String::from_utf8(not_too_large(bytes, path)?);
    text.map_err(|error| file::cannot(path, "read", &io::Error::new(ErrorKind::InvalidData, error)))
}

/// The text of a file that git commits; `None` if it does not exist. A symlink is an error: git commits the link, not its target.
pub(crate) fn committed_text(path: &Path) -> Result<Option<String>, Diagnostic> {
    no_symlink(path)?;
    text(path)
}

/// The bytes of such a file.
pub(crate) fn committed_bytes(path: &Path) -> Result<Option<Vec<u8>>, Diagnostic> {
    no_symlink(path)?;
    bytes(path)
}

fn no_symlink(path: &Path) -> Result<(), Diagnostic> {
    if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) {
        let error = file::error("file::kind", path, "is a symlink, so git would not commit its content");
        return Err(error.help("replace it with the file itself"));
    }
    Ok(())
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    // Of anything but a regular file, the length means nothing.
    let length = file.metadata().map_or(0, |metadata| metadata.len().min(MAX_BYTES));
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
    file.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}
