//! The command line of this API. `xtask` has every subcommand, and `xtask/generator` those that are called after every edit.

use command_line::{Catalogue, run};

use {{ crate_name }}::RESOURCES;

fn main() -> std::process::ExitCode {
    run(Catalogue::default().resources(RESOURCES))
}
