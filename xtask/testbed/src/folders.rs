//! Where everything of a testbed lies: one table of paths.
//!
//! Fed with the folder of this package and cargo's target folder. Read by every other file here.

use std::path::{Path, PathBuf};

/// The folders of all testbeds.
#[derive(Clone, Debug)]
pub(crate) struct Folders {
    /// The Go modules that the programs are built from.
    pub(crate) modules: PathBuf,
    /// Everything that is made: `target/testbed`.
    pub(crate) made: PathBuf,
}

impl Folders {
    /// Those of this checkout: below CARGO_TARGET_DIR, or below the workspace's `target`.
    pub(crate) fn of_checkout() -> Self {
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        // The package lies two folders below the workspace.
        let workspace = package.ancestors().nth(2).unwrap_or(package);
        let target = match std::env::var_os("CARGO_TARGET_DIR") {
            // Relative to the workspace, from where cargo is mostly called: tests run in the folder of their package.
            Some(folder) if !folder.is_empty() => workspace.join(folder),
            _ => workspace.join("target"),
        };
        Self { modules: package.join("go"), made: target.join("testbed") }
    }

    /// The cached programs.
    pub(crate) fn programs(&self) -> PathBuf {
        self.made.join("programs")
    }

    /// What belongs to testbeds that run, and what failed ones left to be looked at.
    pub(crate) fn running(&self) -> PathBuf {
        self.made.join("running")
    }
}
