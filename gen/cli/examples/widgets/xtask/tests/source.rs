//! `generate` reads the source of the types, and the compiled types decide: both give the same CRDs.

use std::process::Command;

#[test]
fn source_and_compiled_types_give_the_same_crds() {
    let out = concat!(env!("CARGO_TARGET_TMPDIR"), "/crds");
    let run = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["generate", "--compiled", "--out", out])
        .status();
    assert!(run.is_ok_and(|status| status.success()));
}
