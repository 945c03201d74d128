//! The tests of the comparison, in one program.

mod directions;
mod implications;
mod random;
mod rules;
mod structural;
mod techniques;
mod witnesses;
