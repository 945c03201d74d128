//! The tests of this crate.

mod project;
mod strangers;
