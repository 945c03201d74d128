//! Exit codes.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Success.
    Fine,
    /// Findings: the policy or a tombstone is violated.
    Findings,
    /// Wrong usage, unreadable or unwritable files, or types that cannot become CRDs.
    Unusable,
    /// `--check` found a file that is out of date.
    Stale,
}

impl Exit {
    /// Every exit, in the order of its code.
    pub(crate) const ALL: [Exit; 4] = [Exit::Fine, Exit::Findings, Exit::Unusable, Exit::Stale];

    /// The exit code of the process.
    pub const fn code(self) -> u8 {
        match self {
            Exit::Fine => 0,
            Exit::Findings => 1,
            Exit::Unusable => 2,
            Exit::Stale => 3,
        }
    }

    /// What the help prints behind the code.
    pub(crate) const fn meaning(self) -> &'static str {
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
