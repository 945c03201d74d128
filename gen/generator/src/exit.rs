//! Exit codes.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    Fine = 0,
    /// Findings: the policy or a tombstone is violated.
    Findings = 1,
    /// Wrong usage, unreadable or unwritable files, or types that cannot become CRDs.
    Unusable = 2,
    /// `--check` found a file that is out of date.
    Stale = 3,
}

impl Exit {
    /// Every exit, in the order of its code.
    pub const ALL: [Exit; 4] = [Exit::Fine, Exit::Findings, Exit::Unusable, Exit::Stale];

    /// The exit code of the process.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// What the help prints behind the code.
    pub const fn meaning(self) -> &'static str {
        match self {
            Exit::Fine => "success",
            Exit::Findings => "findings",
            Exit::Unusable => "wrong usage, unreadable or unwritable files, or types that cannot become CRDs",
            Exit::Stale => "out of date (`--check`)",
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.code())
    }
}
