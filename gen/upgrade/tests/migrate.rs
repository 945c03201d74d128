//! Tests without a cluster.

mod history;
mod lease;
mod model;
mod plan;
mod shards;
mod storage;
mod things;
mod transition;
mod unserve;
