//! Why there is no testbed: what happened, why, and what to do.
//!
//! Made by every step of the launcher. Read by people, and by tests, which only skip themselves when Go is missing.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why there is no testbed, or no longer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The programs have to be built, and there is no Go.
    MissingGo {
        /// The program that was looked for.
        go: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// Go could not build a program.
    Build {
        /// The program.
        program: String,
        /// Where all that Go said is kept.
        log: PathBuf,
        /// Its last lines.
        tail: Vec<String>,
    },
    /// The port that was asked for belongs to somebody else.
    PortTaken {
        /// The port.
        port: u16,
    },
    /// A server ended, or did not become ready.
    Server {
        /// Which one.
        program: &'static str,
        /// How it ended, or what was waited for.
        reason: String,
        /// Where all that it said is kept.
        log: PathBuf,
        /// Its last lines.
        tail: Vec<String>,
    },
    /// A file could not be read or written.
    File {
        /// What was tried: `write`, `read`, …
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// Something else, said in full.
    Other(String),
}

impl Failure {
    /// True if all that is missing is Go: nothing is wrong with this project or with what it built.
    pub fn is_missing_go(&self) -> bool {
        matches!(self, Failure::MissingGo { .. })
    }

    pub(crate) fn file(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Failure {
        let path = path.to_owned();
        move |error| Failure::File { action, path, reason: error.to_string() }
    }

    /// The last lines of a log file; nothing if it cannot be read, since its reader has something more important to say.
    pub(crate) fn tail(log: &Path) -> Vec<String> {
        Self::tail_of(log, |_| true)
    }

    /// The last lines of a log file that this does not take for noise.
    pub(crate) fn tail_of(log: &Path, telling: impl Fn(&str) -> bool) -> Vec<String> {
        const LINES: usize = 15;
        let text = std::fs::read(log).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let lines = text.lines().filter(|line| telling(line)).collect::<Vec<_>>();
        lines[lines.len().saturating_sub(LINES)..].iter().map(|line| (*line).to_owned()).collect()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ending = |f: &mut fmt::Formatter<'_>, log: &Path, tail: &[String]| {
            for line in tail {
                write!(f, "\n  | {line}")?;
            }
            write!(f, "\n  all of it: {}", log.display())
        };
        match self {
            Failure::MissingGo { go, reason } => write!(
                f,
                "there is no Go to build the API server with: `{}` cannot be run ({reason})\n  \
                 install Go 1.26 or newer from https://go.dev/dl and put it on the PATH, or say with GO=/path/to/go where it is",
                go.display(),
            ),
            Failure::Build { program, log, tail } => {
                write!(f, "Go could not build {program}; the last lines of what it said:")?;
                ending(f, log, tail)
            }
            Failure::PortTaken { port } => write!(
                f,
                "port {port} of 127.0.0.1 is taken by another process\n  choose another with --port, or leave --port out to take a free one",
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
