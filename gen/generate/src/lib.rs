//! From type descriptors to CustomResourceDefinitions: descriptors → annotated schema → projection to a channel → CRD.
//!
//! Invariants: pure functions over values; the same input gives the same bytes; all errors are reported together, each with type, field and
//! reason; Projection is the only place where a channel removes anything.
#![deny(missing_docs)]

mod annotated;
mod assemble;
mod catalogue;
mod foreign;
mod merge;
mod problem;
mod project;

pub use annotated::{DeclaredTombstone, Origin};
pub use assemble::{AnnotatedResource, annotated, generate, schema_of};
pub use catalogue::Catalogue;
pub use problem::{CODES, merged};
