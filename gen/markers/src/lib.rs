//! The marker language: finds markers in doc comments, parses them, and lists them in one table. And the descriptors of annotated types: the
//! constants that the macro writes, and the traits through which types name them. Authors use these through `crd-channels`.
//!
//! Knows nothing of `crd-model`, `crd-syntax`, `syn` or `serde_json`.
//!
//! ```
//! use crd_markers::{docs::documentation, marker::parse, table::Target};
//!
//! let docs = documentation([" The size in millimetres.", "", " +kubebuilder:validation:Minimum=1"]);
//! assert_eq!(docs.description, "The size in millimetres.");
//! let marker = parse(&docs.markers[0].text, Target::Field).unwrap();
//! assert_eq!(marker.spec.name, "kubebuilder:validation:Minimum");
//! assert!(parse("experimentl", Target::Field).is_err());
//! ```
//!
//! Invariants: only [`table::MARKERS`] defines a marker's name, targets and arguments; parsing never panics and reports all
//! mistakes of a marker together; text that looks like a marker is never prose, unless a backslash before it makes it prose. Descriptors are
//! constants; a named type is reached through a [`deferred::Deferred`], so that a recursive type compiles and generation can report the recursion.
#![deny(missing_docs)]

pub mod check;
pub mod comments;
pub mod constant;
pub mod deferred;
pub mod descriptor;
pub mod disguise;
pub mod docs;
pub mod facts;
pub mod fit;
pub mod json;
pub mod leaked;
pub mod marker;
pub mod page;
pub mod rule;
pub mod table;
pub mod text;
pub mod typed;
pub mod usual;
pub mod value;

pub use constant::{Constant, ConstantKind};
