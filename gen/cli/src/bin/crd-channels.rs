//! The program `crd-channels`: the subcommands that need no Rust types.

/// The C library's allocator takes a third of the time of `generate`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    crd_channels_cli::run_without_types()
}
