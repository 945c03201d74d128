//! What an author reads when something is wrong: the exact text of every family of compile errors.
//!
//! Fed with `ui/*.rs`, one family each, and `ui/*.stderr`, the text. After a wanted change of a message:
//! `TRYBUILD=overwrite cargo test -p crd-channels compile_errors`, and read the difference as an author would.

#[test]
fn compile_errors_are_what_authors_should_read() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
