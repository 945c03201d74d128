//! The program of the validating webhook of Gateway API.

fn main() -> std::process::ExitCode {
    gateway_api_webhook::run(std::env::args_os())
}
