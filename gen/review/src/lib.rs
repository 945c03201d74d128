//! What a candidate changes since its baseline, whether its version permits that, and what it still needs.
//!
//! Knows nothing of `crd-source`, `crd-release`, `crd-cluster` or `ureq`.
//!
//! Invariants: values in, values out. No clock, filesystem, git or terminal: the command line reads the history and prints the report.
//! The same bundles and types give the same report.

pub mod assembly;
pub mod baseline;
pub mod comparison;
mod conversions;
pub mod elements;
pub mod gate;
pub mod history;
pub mod laws;
mod notes;
mod past;
pub mod profile;
pub mod releases;
pub mod removal;
pub mod report;
mod review;
mod side;
mod tombstones;

pub use baseline::Baseline;
pub use conversions::Lenses;
pub use past::ReleaseNames;
pub use review::{Request, Review, Reviewed};
pub use side::Side;
