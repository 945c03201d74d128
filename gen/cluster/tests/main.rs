//! Tests without a cluster: scripts answer the requests.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod connection;
mod crds;
mod failures;
mod numbers;
mod objects;
mod pages;
mod policies;
mod reading;
mod script;
mod writes;
