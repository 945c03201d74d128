//! Tests of conventions.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cases;
mod example;
mod framework;
mod gateway_api;
mod linters;
mod rules;
mod side_by_side;
mod table;
