//! The program `crd-channels`: every subcommand, without compiled types.

/// The allocator of the C library takes a quarter of the CPU time of `generate`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    crd_channels_cli::run_without_types()
}
