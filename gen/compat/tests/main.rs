//! The tests of the comparison, in one program.
#![allow(clippy::too_many_lines, reason = "a test lists its cases")]

mod grounds;
mod implications;
mod laws;
mod rules;
mod structural;
mod techniques;
mod witnesses;
