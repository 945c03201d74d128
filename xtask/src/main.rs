//! `cargo xtask`: the catalogue of Gateway API, handed to the command line.

fn main() -> std::process::ExitCode {
    crd_channels_cli::run(xtask::catalogue())
}
