//! The tests of `#[api]` types, in one program.
#![allow(unreachable_pub, reason = "samples are written as an author writes them")]

mod checks;
mod defaults;
mod instances;
mod json_schema;
mod markers;
mod read;
mod recursion;
mod strict;
mod unions;
mod wire;
