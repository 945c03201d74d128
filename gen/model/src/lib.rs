//! Data of CustomResourceDefinitions: [`Schema`], [`CustomResourceDefinition`], and YAML in and out.
//!
//! Invariants: pure functions over values; the same document gives the same bytes; nothing here decides whether a document is valid.
#![deny(missing_docs)]

pub mod crd;
pub mod document;
mod properties;
pub mod schema;
pub mod yaml;

pub use crd::CustomResourceDefinition;
pub use crd_markers::channel::{self, Channel};
pub use properties::Properties;
pub use schema::Schema;
