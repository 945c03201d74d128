//! Whether data is text.
//!
//! Invariants: data is recognised by its content, never by its name; a message names the format that is not read.

use crd_diagnostics::Diagnostic;

use super::found::error;
use super::{Source, codes};

/// Data that is not read, by how it begins.
const FOREIGN: [(&[u8], &str); 7] = [
    (b"PK\x03\x04", "a zip archive"),
    (b"\x28\xb5\x2f\xfd", "compressed by zstd"),
    (b"BZh", "compressed by bzip2"),
    (b"\x7fELF", "a program"),
    (b"\x89PNG", "a picture"),
    (b"%PDF", "a PDF"),
    (b"version https://git-lfs.", "a pointer of Git LFS to a file (`git lfs pull` fetches it)"),
];

/// The error for data beyond a limit. `what` begins the sentence: `this is`.
pub(super) fn too_large(name: &str, what: &str, bytes: u64, most: u64) -> Diagnostic {
    let message = format!("{what} {} MiB or more, and at most {} MiB are read", bytes >> 20, most >> 20);
    let fix = "Name the CRDs alone, or in several files";
    error(codes::TOO_LARGE, name, None, None, message, fix)
}

/// The bytes as text, or why they are not text.
pub(super) fn text(name: String, bytes: Vec<u8>) -> Result<Source, Diagnostic> {
    Err(if let Some((_, what)) = FOREIGN.iter().find(|(begin, _)| bytes.starts_with(begin)) {
        let message = format!("this is {what}, and only YAML, JSON, .tar, .tar.gz and .tar.xz are read");
        error(codes::BINARY, &name, None, None, message, "Unpack it, and name the CRDs in it")
    } else if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        let message = "this is UTF-16, and Kubernetes reads UTF-8";
        error(codes::ENCODING, &name, 1, 1, message, "Convert it: `iconv -f UTF-16 -t UTF-8`")
    } else if let Some(nul) = memchr::memchr(0, &bytes) {
        let (line, column) = place(&bytes, nul);
        let message = "this is binary data: there is a NUL byte here";
        let fix = "Name a file of YAML or JSON, or an archive (.tar, .tar.gz, .tar.xz) of such files";
        error(codes::BINARY, &name, line, column, message, fix)
    } else {
        match String::from_utf8(bytes) {
            Ok(text) => return Ok(Source::new(name, text)),
            Err(invalid) => {
                let valid = invalid.utf8_error().valid_up_to();
                let bytes = invalid.as_bytes();
                let (line, column) = place(bytes, valid);
                let found = bytes.get(valid).map_or(String::new(), |byte| format!("{byte:#04x} "));
                let message = format!("the byte {found}here is not valid UTF-8, which Kubernetes requires");
                let fix = "Convert the text to UTF-8, for example by `iconv -f ISO-8859-1 -t UTF-8`";
                error(codes::ENCODING, &name, line, column, message, fix)
            }
        }
    })
}

/// The line and column of a byte.
fn place(bytes: &[u8], index: usize) -> (usize, usize) {
    let before = bytes.get(..index).unwrap_or_default();
    let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    let lines = before.iter().filter(|byte| **byte == b'\n').count();
    let column = String::from_utf8_lossy(&before[line_start..]).chars().count();
    (lines + 1, column + 1)
}
