//! What a Kubernetes API server does with CustomResourceDefinitions and with objects: which CRDs it refuses ([`refusal`]) or its admission
//! policies refuse ([`admission`]), and what it answers to the creation or update of an object ([`objects`]). Single steps are [`prune`], [`apply_defaults`] and the structural part of
//! validation ([`validate`](mod@validate)).
//!
//! Knows nothing of `crd-markers`, `crd-generate`, `crd-diagnostics` or `crd-compat`.
//!
//! Invariants: pure functions over values; no input panics; what a server refuses is never accepted.
//!
//! ```
//! use crd_apiserver::{apply_defaults, validate::validate};
//! use crd_model::Schema;
//! use serde_json::json;
//!
//! let size = json!({"type": "integer", "minimum": 1, "default": 1});
//! let schema = Schema::from_value(&json!({"type": "object", "properties": {"size": size}})).unwrap();
//! let mut object = json!({});
//! apply_defaults(&schema, &mut object);
//! assert_eq!(object, json!({"size": 1}));
//! assert!(validate(&schema, &object).is_empty());
//! assert_eq!(validate(&schema, &json!({"size": 0})).len(), 1);
//! ```
#![deny(missing_docs)]

pub mod admission;
mod correlation;
mod defaults;
mod field_path;
pub mod formats;
mod go_text;
mod json_path;
mod names;
mod numbers;
pub mod objects;
mod path;
mod prune;
pub mod refusal;
mod structure;
pub mod validate;

pub use defaults::{apply_defaults, fill_defaults};
pub use prune::prune;
