//! The objects of a report, on their way to the output: in a temporary file without a name, which ends with the process.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, Write};

use crd_diagnostics::{Diagnostic, json};
use crd_upgrade::inspect::ObjectReport;
use serde_json::Value;

/// A file with a line of JSON for each object.
#[derive(Debug)]
pub(crate) struct Spool {
    file: BufWriter<File>,
    failure: Option<io::Error>,
}

impl Spool {
    pub(crate) fn new() -> Result<Self, Diagnostic> {
        let file = tempfile::tempfile().map_err(|error| diagnostic(&error))?;
        Ok(Self { file: BufWriter::new(file), failure: None })
    }

    pub(crate) fn add(&mut self, object: &ObjectReport) {
        if self.failure.is_none() {
            self.failure = self.file.write_all(json::line(object).as_bytes()).err();
        }
    }

    /// The lines, in the order in which they were added.
    pub(crate) fn lines(self) -> Result<impl Iterator<Item = Result<String, Diagnostic>>, Diagnostic> {
        let file = match self.failure {
            Some(error) => Err(error),
            None => self.file.into_inner().map_err(io::IntoInnerError::into_error),
        };
        let mut file = file.map_err(|error| diagnostic(&error))?;
        file.rewind().map_err(|error| diagnostic(&error))?;
        Ok(BufReader::new(file).lines().map(|line| line.map_err(|error| diagnostic(&error))))
    }
}

/// A line that was read back.
pub(crate) fn value(line: &str) -> Value {
    // What was written by this program is JSON.
    serde_json::from_str(line).unwrap_or_default()
}

fn diagnostic(error: &io::Error) -> Diagnostic {
    let folder = std::env::temp_dir();
    let message = format!("the report does not fit into a temporary file in {}: {error}", folder.display());
    Diagnostic::error("file::io", message).help("free space there, or name another folder in the variable `TMPDIR`")
}
