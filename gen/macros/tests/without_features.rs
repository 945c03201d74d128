//! What the macro writes when no feature is on, as in the generator: descriptors, and nothing of serde.
//!
//! Fed with `ui/*.rs`, which must not compile, and `pass/*.rs`, which must. Where the features of a whole workspace are
//! unified, the macro under test has them all, and there is nothing to see: `cargo test -p crd-macros` has not.

#[test]
fn without_features_only_descriptors_are_written() {
    if cfg!(any(feature = "serde", feature = "foreign", feature = "kube")) {
        println!("skipped: the macro was built with features; run `cargo test -p crd-macros`");
        return;
    }
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*.rs");
    cases.pass("tests/pass/*.rs");
}
