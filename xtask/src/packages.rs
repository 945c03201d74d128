//! The subcommand packages of this repository: packages of their own, so that `generate` does not compile them.

use command_line::SubcommandPackage;

/// Every subcommand package.
pub(crate) const PACKAGES: &[SubcommandPackage] = &[
    SubcommandPackage {
        name: "testbed",
        about: "Start a real API server on this machine, and test on it what the types become",
        package: "crd-testbed",
    },
    SubcommandPackage {
        name: "prove",
        about: "Run a test with all its cases, where `cargo test` runs a sample",
        package: "crd-prove",
    },
];
