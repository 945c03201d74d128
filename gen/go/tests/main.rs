//! The tests of this crate.

mod described;
mod hostile;
mod project;
mod refused;
mod strangers;
