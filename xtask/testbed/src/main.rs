//! `crd-testbed`: what `cargo xtask testbed` runs.

fn main() -> std::process::ExitCode {
    crd_testbed::command::run()
}
