//! The tests of this crate.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod described;
mod gates;
mod hostile;
mod project;
mod refused;
