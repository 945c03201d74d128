//! `docs/reference/rules.md` is generated from the rules.

use std::fs;
use std::path::Path;

#[test]
fn reference_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/rules.md");
    let text = crd_compat::reference();
    let written = fs::read_to_string(&path).unwrap_or_default();
    let first = written.lines().zip(text.lines()).position(|(written, text)| written != text);
    assert!(
        written == text,
        "docs/reference/rules.md is out of date from line {} on; `cargo xtask rules --page docs/reference/rules.md` updates it",
        first.map_or(written.lines().count(), |line| line + 1)
    );
}
