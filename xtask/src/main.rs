//! `cargo xtask`: the catalogue of Gateway API, handed to the command line.

// A module and no library: a library would be one more crate to build after each edit. Tests and benchmarks include the file.
mod catalogue;

use crd_channels_cli::{Companion, run_beside};

/// A package of its own, so that what generates schemas builds nothing of it.
const TESTBED: Companion = Companion {
    name: "testbed",
    about: "Starts a real API server on this machine, and proves on it what we emit",
    package: "crd-testbed",
};

fn main() -> std::process::ExitCode {
    run_beside(catalogue::catalogue(), &[TESTBED])
}
