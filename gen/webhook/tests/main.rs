//! Tests without a cluster: a small API, a scripted API server, and real connections on the loopback address.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod api;
mod reviews;
mod skew;
mod verdicts;
