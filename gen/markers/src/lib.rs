//! The marker language: finds markers in doc comments, parses them, and lists them in one table.
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
//! mistakes of a marker together; text that looks like a marker is never prose, unless a backslash before it makes it prose.
#![deny(missing_docs)]

pub mod channel;
pub mod comments;
pub mod disguise;
pub mod docs;
pub mod fit;
pub mod marker;
pub mod names;
pub mod nearest;
pub mod page;
pub mod rust_names;
pub mod table;
pub mod text;
pub mod value;
