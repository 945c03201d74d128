//! The front end of `#[api]`: what the proc-macro and the reader of source files have in common.
//!
//! The steps: [`attr`] reads attributes, [`ast`] builds a typed item, [`check`] and [`lens`] find contradictions in it.
//!
//! Invariants: all errors of an item are reported together, each on its doc line; nothing here asks whether a compiler runs, because tokens
//! have the same lines and comments in both programs.

pub mod ast;
pub mod attr;
pub mod check;
pub mod compile_errors;
pub mod lens;
