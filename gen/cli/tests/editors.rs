//! The language server with clients of other projects, pytest-lsp and Neovim: `editors/clients.py` has the tests.
//!
//! Without the clients they are skipped and print the reason; with `CRD_EDITORS=require`, as CI has it, they fail instead.

use std::process::{Command, Stdio};

use crate::release_tools::printed;

const CLIENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/editors/clients.py");

/// Whether a client is installed.
fn is_installed(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null());
    command.output().is_ok_and(|output| output.status.success())
}

#[test]
fn clients_show_what_the_command_line_prints() {
    let has_pytest_lsp = is_installed("python3", &["-c", "import pytest_lsp"]);
    let version = "+execute has('nvim-0.11') ? 'qall' : 'cquit'";
    if !(has_pytest_lsp && is_installed("nvim", &["--headless", "--clean", version])) {
        let is_required = std::env::var_os("CRD_EDITORS").is_some_and(|value| value == "require");
        assert!(!is_required, "CRD_EDITORS=require, and pytest-lsp or Neovim 0.11 is not installed");
        println!("skipped: pytest-lsp or Neovim 0.11 is not installed");
        return;
    }
    let mut command = Command::new("python3");
    command.args(["-m", "pytest", CLIENTS]).stdin(Stdio::null());
    // No file of Python is left in the repository.
    command.env("PYTHONDONTWRITEBYTECODE", "1").env("CRD_CHANNELS", env!("CARGO_BIN_EXE_crd-channels"));
    let output = command.output().unwrap();
    assert!(output.status.success() && printed(&output).contains("2 passed"), "{}", printed(&output));
}
