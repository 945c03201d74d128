//! The evaluator of CEL: all tests in one program.

mod estimates;
mod evaluation;
mod implication;
mod random;
