//! Markers in any text: all tests in one program.

mod any_text;
mod disguise;
