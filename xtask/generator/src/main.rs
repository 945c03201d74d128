//! `cargo xtask`: `generate` reads the source of Gateway API's types, so this program does not compile them. It runs the package `xtask` for
//! the other subcommands.

#[path = "../../src/packages.rs"]
mod packages;

/// The allocator of the C library takes a quarter of the CPU time of `generate`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    command_line::run_from_source_with_packages(packages::PACKAGES)
}
