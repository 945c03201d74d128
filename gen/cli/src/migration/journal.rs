//! The journal: each object before it is changed, one line of JSON for each.
//!
//! Invariant: a line is written before the object is changed; if that fails, the object stays as it is.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use crd_diagnostics::Diagnostic;
use serde_json::Value;

/// The journal, if the user wants one.
pub(crate) struct Journal(Option<(PathBuf, File)>);

impl Journal {
    /// Opens a journal. Lines are added to a file that exists.
    ///
    /// # Errors
    /// A diagnostic if the file cannot be opened.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self, Diagnostic> {
        let Some(path) = path else { return Ok(Self(None)) };
        let file = OpenOptions::new().append(true).create(true).open(path);
        let file = file.map_err(|error| failed(path, "opened", &error))?;
        Ok(Self(Some((path.to_owned(), file))))
    }

    /// Writes an object.
    ///
    /// # Errors
    /// A diagnostic if it cannot be written, for example because the disk is full.
    pub(crate) fn record(&self, object: &Value) -> Result<(), Diagnostic> {
        let Some((path, mut file)) = self.0.as_ref().map(|(path, file)| (path, file)) else { return Ok(()) };
        file.write_all(format!("{object}\n").as_bytes()).map_err(|error| failed(path, "written", &error))
    }
}

fn failed(path: &Path, verb: &str, error: &std::io::Error) -> Diagnostic {
    let message = format!("the journal {} cannot be {verb}: {error}", path.display());
    Diagnostic::error("usage::journal", message)
        .help("choose another file; nothing is lost, so the migration can be run again")
}
