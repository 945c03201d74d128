//! Faults: why a command cannot do what it was asked to.
//!
//! Fed by everything that can fail. Read by the commands, which print all of them at once.
//!
//! Invariants: a fault is data: where, what is wrong, why and how to mend it. Paths are whole, and shortened when they are shown; what
//! readers of bundles say names inputs as the user did.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

#[cfg(feature = "bundles")]
use crd_bundle::manifest::ManifestFault;
#[cfg(feature = "bundles")]
use crd_bundle::published::ReadFault;
#[cfg(feature = "bundles")]
use crd_compat::RecordFault;
use crd_generate::GenerationError;
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
    /// It lies in a text, mostly at a line.
    Text {
        /// The file, or what the user named.
        path: PathBuf,
        /// The line, from 1.
        line: Option<usize>,
        /// The column, from 1.
        column: Option<usize>,
        /// By which rule, if rules have names there.
        rule: Option<&'static str>,
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

    /// An input that cannot be read as a bundle.
    #[cfg(feature = "bundles")]
    pub(crate) fn read(fault: ReadFault) -> Self {
        let ReadFault { rule, file, line, column, message, fix } = fault;
        let message = if fix.is_empty() { message } else { format!("{message}. {fix}") };
        Fault::Text { path: file.into(), line, column, rule: Some(rule.id()), message }
    }

    /// An entry of a file of records.
    #[cfg(feature = "bundles")]
    pub(crate) fn record(path: impl Into<PathBuf>, fault: RecordFault) -> Self {
        Fault::Text { path: path.into(), line: Some(fault.line), column: None, rule: None, message: fault.message }
    }

    /// A manifest that cannot be read.
    #[cfg(feature = "bundles")]
    pub(crate) fn manifest(path: impl Into<PathBuf>, fault: ManifestFault) -> Self {
        let ManifestFault { line, column, message } = fault;
        Fault::Text { path: path.into(), line: Some(line), column: Some(column), rule: None, message }
    }

    /// A failure of the operating system. `action` completes "cannot be …".
    pub(crate) fn io(path: impl Into<PathBuf>, action: &str, error: &io::Error) -> Self {
        let advice = match error.kind() {
            // Nobody reads from elsewhere because of it.
            ErrorKind::PermissionDenied if action.starts_with("read") => ": give yourself the right to",
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => ": free some space and run it again",
            ErrorKind::FileTooLarge => ": raise the limit of file sizes (`ulimit -f`) and run it again",
            ErrorKind::ReadOnlyFilesystem => ": mount it writable, or use another folder (`--out DIR`, `--root DIR`)",
            ErrorKind::PermissionDenied => {
                ": give yourself the right to, or use another folder (`--out DIR`, `--root DIR`)"
            }
            _ => "",
        };
        Self::file(path, format!("cannot be {action}: {error}{advice}"))
    }

    /// As it is printed.
    pub(crate) fn text(&self, session: &Session<'_>) -> String {
        match self {
            Fault::Generation(error) => error.to_string(),
            Fault::File { path, message } => format!("{}: {message}", session.shown(path).display()),
            Fault::Text { path, line, column, message, .. } => {
                let place = [line, column].into_iter().flatten().map(|number| format!(":{number}")).collect::<String>();
                format!("{}{place}: {message}", session.shown(path).display())
            }
            Fault::Other(message) => message.clone(),
        }
    }

    /// The file and line that it is about, if it is about one.
    pub(crate) fn place(&self, session: &Session<'_>) -> Option<(String, usize)> {
        match self {
            Fault::Generation(error) => {
                error.location.map(|location| (location.file.to_owned(), usize::try_from(location.line).unwrap_or(1)))
            }
            Fault::Text { path, line: Some(line), .. } => Some((shown(path, session), *line)),
            Fault::Text { .. } | Fault::File { .. } | Fault::Other(_) => None,
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
            Fault::File { path, message } => of_no_type(Some(shown(path, session)), None, None, message),
            Fault::Text { path, line, rule, message, .. } => {
                of_no_type(Some(shown(path, session)), *line, *rule, message)
            }
            Fault::Other(message) => of_no_type(None, None, None, message),
        }
    }
}

fn of_no_type(file: Option<String>, line: Option<usize>, rule: Option<&str>, message: &str) -> Value {
    let none = Value::Null;
    json!({"file": file, "line": line, "type": none, "field": none, "channel": none, "rule": rule, "message": message})
}

fn shown(path: &Path, session: &Session<'_>) -> String {
    session.shown(path).to_string_lossy().into_owned()
}
