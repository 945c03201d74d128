//! The command line with the catalogue of Gateway API. The package `xtask` builds it with every subcommand, and `xtask-generator`, which
//! `cargo xtask` runs, with those that are called after every edit.

// A module, not a library: a library would be one more crate to build after each edit. Tests and benchmarks include the file.
mod catalogue;

use command_line::{SubcommandPackage, run_with_packages};

/// Packages of their own, so that `generate` does not compile them.
const PACKAGES: &[SubcommandPackage] = &[
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

fn main() -> std::process::ExitCode {
    run_with_packages(catalogue::catalogue(), PACKAGES)
}
