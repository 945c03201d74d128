//! Tests without a cluster.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod history;
mod lease;
mod model;
mod plan;
mod shards;
mod storage;
mod things;
mod transition;
mod unserve;
