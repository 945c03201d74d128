//! The tests of the published artefacts, in one program.
#![allow(clippy::too_many_lines, reason = "a test lists its cases")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod archives;
mod fit;
mod notes;
mod sbom;
mod webhook;
