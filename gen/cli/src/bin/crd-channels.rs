//! The program `crd-channels`: the subcommands that need no Rust types.

fn main() -> std::process::ExitCode {
    crd_channels_cli::run_without_types()
}
