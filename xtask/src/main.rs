//! `cargo xtask`: the catalogue of Gateway API, handed to the command line.

// A module and no library: a library would be one more crate to build after each edit. Tests and benchmarks include the file.
mod catalogue;

fn main() -> std::process::ExitCode {
    crd_channels_cli::run(catalogue::catalogue())
}
