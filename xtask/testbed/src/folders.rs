//! The paths of a testbed's files.

use std::path::{Path, PathBuf};

/// The folders that all testbeds of a checkout share.
#[derive(Clone, Debug)]
pub(crate) struct Folders {
    /// The Go modules that the programs are built from.
    pub(crate) modules: PathBuf,
    /// The output directory: `target/testbed`.
    pub(crate) output: PathBuf,
}

impl Folders {
    /// The folders of this checkout: below CARGO_TARGET_DIR, or below the workspace's `target`.
    pub(crate) fn of_checkout() -> Self {
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        // The package is two folders below the workspace.
        let workspace = package.ancestors().nth(2).unwrap_or(package);
        let target = match std::env::var_os("CARGO_TARGET_DIR") {
            // Relative to the workspace, where cargo is usually called. Tests run in the folder of their package.
            Some(folder) if !folder.is_empty() => workspace.join(folder),
            _ => workspace.join("target"),
        };
        Self { modules: package.join("go"), output: target.join("testbed") }
    }

    /// The cached programs.
    pub(crate) fn programs(&self) -> PathBuf {
        self.output.join("programs")
    }

    /// One folder for each running testbed, and the logs of failed ones.
    pub(crate) fn running(&self) -> PathBuf {
        self.output.join("running")
    }
}
