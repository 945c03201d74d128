//! Tests of pages as their readers see them: the HTML is parsed by html5ever, and the data is unpacked without the code of this crate.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod clients;
mod growth;
mod hostile;
mod made;
mod pictures;
