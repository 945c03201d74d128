//! Tests of `crd-registry`.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod hostile;
mod push;
mod reference;
mod server;
