//! The macro without features, as in the generator: it writes descriptors and no serde code.
//!
//! `ui/*.rs` must not compile and `pass/*.rs` must. In a build of the whole workspace, features unify and the macro has all of
//! them, so run `cargo test -p crd-macros` alone.

#[test]
fn without_features_only_descriptors_are_written() {
    if cfg!(any(feature = "serde", feature = "schemars", feature = "kube")) {
        println!("skipped: the macro was built with features; run `cargo test -p crd-macros`");
        return;
    }
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*.rs");
    cases.pass("tests/pass/*.rs");
}
