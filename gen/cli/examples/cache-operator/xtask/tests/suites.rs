//! The types answer as the suites in `api/suites` expect. Where `bundles` is committed, `command_line::suites!();` does the same from source.

use std::process::Command;

#[test]
fn the_types_answer_as_the_suites_expect() {
    let run = Command::new(env!("CARGO_BIN_EXE_xtask")).arg("test").status();
    assert!(run.is_ok_and(|status| status.success()));
}
