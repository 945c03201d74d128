//! The macro without features, as in the generator: it writes descriptors and no serde code.
//!
//! `errors/*.rs` must not compile, with the text of `errors/*.stderr`. `pass/*.rs` must compile and run.

#[test]
fn without_features_only_descriptors_are_written() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/errors/*.rs");
    cases.pass("tests/pass/*.rs");
}
