//! Faults: why a command cannot do what it was asked to.
//!
//! Fed by everything that can fail. Read by the commands, which print all of them at once.
//!
//! Invariants: a fault is data: where, what is wrong, why and how to mend it. Paths are whole, and shortened when they are shown.

use std::io::{self, ErrorKind};
use std::path::PathBuf;

use crd_schema::GenerationError;
use serde_json::{Value, json};

use crate::session::Session;

/// One reason why nothing is done.
#[derive(Debug)]
pub(crate) enum Fault {
    /// It lies in the types.
    Generation(GenerationError),
    /// It lies in a file or folder.
    File {
        /// Which one.
        path: PathBuf,
        /// What, why, and how to mend it.
        message: String,
    },
    /// It lies elsewhere.
    Other(String),
}

impl Fault {
    pub(crate) fn file(path: impl Into<PathBuf>, message: impl Into<String>) -> Self {
        Fault::File { path: path.into(), message: message.into() }
    }

    /// A failure of the operating system. `action` completes "cannot be …".
    pub(crate) fn io(path: impl Into<PathBuf>, action: &str, error: &io::Error) -> Self {
        let advice = match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => ": free some space and run it again",
            ErrorKind::FileTooLarge => ": raise the limit of file sizes (`ulimit -f`) and run it again",
            ErrorKind::ReadOnlyFilesystem => ": write somewhere else with `--out DIR`, or mount it writable",
            ErrorKind::PermissionDenied => ": give yourself the right to, or use another folder with `--out DIR`",
            _ => "",
        };
        Self::file(path, format!("cannot be {action}: {error}{advice}"))
    }

    /// As it is printed.
    pub(crate) fn text(&self, session: &Session<'_>) -> String {
        match self {
            Fault::Generation(error) => error.to_string(),
            Fault::File { path, message } => format!("{}: {message}", session.shown(path).display()),
            Fault::Other(message) => message.clone(),
        }
    }

    /// As it stands in JSON output; what does not apply is `null`.
    pub(crate) fn json(&self, session: &Session<'_>) -> Value {
        match self {
            Fault::Generation(error) => json!({
                "file": error.location.map(|location| location.file),
                "line": error.location.map(|location| location.line),
                "type": error.type_name,
                "field": error.field,
                "channel": error.channel.map(|channel| channel.name()),
                "rule": error.rule,
                "message": error.message,
            }),
            Fault::File { path, message } => {
                of_no_type(Some(session.shown(path).to_string_lossy().into_owned()), message)
            }
            Fault::Other(message) => of_no_type(None, message),
        }
    }
}

fn of_no_type(file: Option<String>, message: &str) -> Value {
    let none = Value::Null;
    json!({"file": file, "line": none, "type": none, "field": none, "channel": none, "rule": none, "message": message})
}
