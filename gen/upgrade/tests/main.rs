//! Tests without a cluster.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod inspect;
mod installers;
mod migrate;
