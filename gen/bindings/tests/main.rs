//! Tests of the bindings.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod go_constants;
mod go_module;
mod go_text;
mod go_types;
mod json_schema;
mod names;
mod openapi;
