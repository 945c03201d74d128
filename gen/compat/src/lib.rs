//! Compatibility of CRDs: today, whether the standard channel is contained in the experimental one.
//!
//! Fed with projected CRDs. Read by the command line, which says where they are not.
//!
//! Invariants: pure functions over CRDs; a finding is data.
#![deny(missing_docs)]

mod containment;

pub use containment::{Breach, BreachKind, containment};
