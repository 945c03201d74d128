//! The program `crd-testbed`, which `cargo xtask testbed` runs.

fn main() -> std::process::ExitCode {
    crd_testbed::command::run()
}
