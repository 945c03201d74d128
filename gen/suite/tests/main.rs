//! Tests of suites, of what they cover, and of mutants.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod coverage;
mod elements;
mod forms;
mod mutants;
mod openshift;
mod parts;
mod proposal;
