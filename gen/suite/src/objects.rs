//! Objects that users write: read with their positions, validated as servers answer, converted by lenses.
//!
//! Invariants: texts come in and values go out; no file is read or written. One document of a text that cannot be read does not hide those
//! behind it.

pub mod conversion;
pub mod document;
pub mod identity;
mod json;
pub mod validation;
