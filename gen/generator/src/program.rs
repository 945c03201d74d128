//! The two programs that have these subcommands.

/// How the user calls the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Program {
    /// `cargo xtask`: the program of a workspace, with its types.
    #[default]
    Xtask,
    /// `crd-channels`: the installed program, without compiled types.
    CrdChannels,
}

impl Program {
    /// What the user types before the name of a subcommand.
    pub const fn call(self) -> &'static str {
        match self {
            Program::Xtask => "cargo xtask",
            Program::CrdChannels => "crd-channels",
        }
    }

    /// The name of the executable file.
    pub const fn file_name(self) -> &'static str {
        match self {
            Program::Xtask => "xtask",
            Program::CrdChannels => "crd-channels",
        }
    }
}
