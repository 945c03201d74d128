//! The tests of the comparison, in one program.

mod directions;
mod rules;
mod witnesses;
