//! From type descriptors to CustomResourceDefinitions.
//!
//! Fed with a [`Catalogue`] of descriptors. Read by the bundle, the diff and the command line. The way of the data:
//! descriptors → annotated schema → projection → CustomResourceDefinition → YAML, all of it pure functions. Beside it, for proofs and for the
//! diff: [`boundary`] makes objects on both sides of each constraint.
//!
//! Invariants: no clock, filesystem, git or network; same input, same bytes; every error at once, with type, field and reason.
#![deny(missing_docs)]

mod annotated;
mod assemble;
pub mod boundary;
mod catalogue;
pub mod cel;
pub mod crd;
mod defaults;
pub mod document;
mod foreign;
mod generation;
mod merge;
mod project;
mod properties;
pub mod refusal;
pub mod schema;
pub mod validate;
pub mod yaml;

pub use annotated::{DeclaredTombstone, Origin};
pub use assemble::{AnnotatedResource, annotated, generate, schema_of};
pub use catalogue::Catalogue;
pub use crd::CustomResourceDefinition;
pub use defaults::apply_defaults;
pub use generation::GenerationError;
pub use properties::Properties;
pub use schema::Schema;
