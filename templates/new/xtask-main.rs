//! The command line of this API with its compiled types. `xtask/generator` reads their source.

use command_line::{Catalogue, run};

use {{ crate_name }}::RESOURCES;

fn main() -> std::process::ExitCode {
    run(Catalogue::default().resources(RESOURCES))
}
