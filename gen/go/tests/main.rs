//! The tests of this crate.

mod described;
mod project;
mod refused;
mod strangers;
