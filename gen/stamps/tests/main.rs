//! Tests of clients, offers and verdicts.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod client;
mod decision;
mod facts;
mod incidents;
