//! The evaluator of CEL: all tests in one program.
#![allow(clippy::too_many_lines, reason = "a test lists its cases")]

mod enumeration;
mod estimates;
mod evaluation;
mod implication;
mod random;
