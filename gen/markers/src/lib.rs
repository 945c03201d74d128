//! The language of markers: how they are found in doc comments, how they are written, and what they are called.
//!
//! Fed with doc lines by the proc-macro (`crd-macros`). Read by it, by the engine (for RE2 patterns and the table of channels)
//! and by the command line (for `markers` and the reference page).
//!
//! Invariants: [`table::MARKERS`] is the only place that knows a marker's name, target and arguments; parsing never panics and
//! reports every fault of a marker at once; nothing that begins like a marker is ever taken for prose.
#![deny(missing_docs)]

pub mod channel;
pub mod docs;
pub mod fit;
pub mod marker;
pub mod nearest;
pub mod page;
pub mod table;
pub mod text;
pub mod value;
