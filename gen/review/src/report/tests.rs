//! Tests of every format, on one small report that has a finding of each kind, and on the published bundles of Gateway API.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod annotations;
mod code_scanning;
mod comment;
mod documents;
mod folding;
mod history;
mod sample;
mod sarif_schema;
mod shape;
mod written;
