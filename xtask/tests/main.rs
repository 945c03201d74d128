//! The tests of this repository as a whole, in one program. One that takes minutes is a program of its own, which `cargo test` runs only
//! by name: `pre_commit`.
#![allow(clippy::too_many_lines, reason = "a test lists its cases")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../src/catalogue.rs"]
mod catalogue;
mod ci_scripts;
mod contributing;
mod gate;
mod language;
mod laws;
mod layout;
mod lenses;
mod links;
mod locks;
mod modules;
mod pages;
mod past;
mod process;
mod readme;
mod release;
mod release_tools;
mod source;
mod state;
mod structure;
mod test_programs;
mod testing;
mod workflows;
