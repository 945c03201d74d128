//! The tests of the reader, as one program.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod forms;
mod mutants;
