//! The command line with the catalogue of Gateway API: every subcommand, and the compiled types.

// A module, not a library: a library would be one more crate to build after each edit. Tests and benchmarks include the file.
mod catalogue;
mod packages;

/// The allocator of the C library takes a quarter of the CPU time of `generate`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    command_line::run_with_packages(catalogue::catalogue(), packages::PACKAGES)
}
