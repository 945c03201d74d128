//! The command line of this API, which `cargo xtask` runs.

use crd_channels_cli::{Catalogue, run};

use {{ crate_name }}::RESOURCES;

fn main() -> std::process::ExitCode {
    run(Catalogue::default().resources(RESOURCES))
}
