//! Why a testbed could not be started, or ended early: what happened, the cause, and a fix.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why a testbed could not be started, or ended early.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// Programs must be built, and Go is not installed.
    MissingGo {
        /// The Go program that could not be run.
        go: PathBuf,
        /// The operating system's error.
        reason: String,
    },
    /// Go could not build a program.
    Build {
        /// The program.
        program: String,
        /// The file with Go's complete output.
        log: PathBuf,
        /// The last lines of the log.
        tail: Vec<String>,
    },
    /// Another process uses the requested port.
    PortTaken {
        /// The port.
        port: u16,
    },
    /// A server ended by itself, or did not become ready.
    Server {
        /// The server.
        program: &'static str,
        /// How it ended, or what it did not do in time.
        reason: String,
        /// The server's log.
        log: PathBuf,
        /// The last lines of the log.
        tail: Vec<String>,
    },
    /// A file could not be read or written.
    File {
        /// The operation: `write`, `read`, …
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        reason: String,
    },
    /// Any other failure, as a complete message.
    Other(String),
}

impl Failure {
    /// Whether the only cause is that Go is not installed.
    pub fn is_missing_go(&self) -> bool {
        matches!(self, Failure::MissingGo { .. })
    }

    pub(crate) fn file(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Failure {
        let path = path.to_owned();
        move |error| Failure::File { action, path, reason: error.to_string() }
    }

    /// The last lines of a log file; empty if it cannot be read, because the caller reports a more important error.
    pub(crate) fn tail(log: &Path) -> Vec<String> {
        Self::tail_of(log, |_| true)
    }

    /// The last lines of a log file that the filter accepts.
    pub(crate) fn tail_of(log: &Path, keep: impl Fn(&str) -> bool) -> Vec<String> {
        const LINES: usize = 15;
        let text = std::fs::read(log).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let lines = text.lines().filter(|line| keep(line)).collect::<Vec<_>>();
        lines[lines.len().saturating_sub(LINES)..].iter().map(|line| (*line).to_owned()).collect()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ending = |f: &mut fmt::Formatter<'_>, log: &Path, tail: &[String]| {
            for line in tail {
                write!(f, "\n  | {line}")?;
            }
            write!(f, "\n  complete log: {}", log.display())
        };
        match self {
            Failure::MissingGo { go, reason } => write!(
                f,
                "Go is needed to build the API server, and `{}` cannot be run ({reason})\n  \
                 install Go 1.26 or newer from https://go.dev/dl and add it to the PATH, or set GO=/path/to/go",
                go.display(),
            ),
            Failure::Build { program, log, tail } => {
                write!(f, "Go could not build {program}; the last lines of its output:")?;
                ending(f, log, tail)
            }
            Failure::PortTaken { port } => write!(
                f,
                "port {port} of 127.0.0.1 is used by another process\n  choose another port with --port, or omit --port to use a free one",
            ),
            Failure::Server { program, reason, log, tail } => {
                write!(f, "{program} {reason}; the last lines of its log:")?;
                ending(f, log, tail)
            }
            Failure::File { action, path, reason } => write!(f, "cannot {action} {}: {reason}", path.display()),
            Failure::Other(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for Failure {}
