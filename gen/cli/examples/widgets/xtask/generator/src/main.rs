//! `cargo xtask`: `generate` reads the source of the types, so this program does not compile them. It runs `xtask` for the other subcommands.

fn main() -> std::process::ExitCode {
    command_line::run_from_source()
}
