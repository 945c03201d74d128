//! The exact text of every compile error: `errors/*.rs` has a family of errors each, `errors/*.stderr` their text.
//!
//! After an intended change of a message, run `TRYBUILD=overwrite cargo test -p crd-compile-errors` and review the difference as an author would
//! read it.

#[test]
fn compile_errors_are_what_authors_should_read() {
    trybuild::TestCases::new().compile_fail("tests/errors/*.rs");
}
