//! What a Kubernetes API server does with CustomResourceDefinitions and with objects: which CRDs it refuses ([`refusal`]), how it defaults
//! objects ([`apply_defaults`]) and validates them ([`validate`](mod@validate)). [`boundary`] makes objects on both sides of each constraint.
//!
//! Invariants: pure functions over values; no input panics; what a server refuses is never accepted.
#![deny(missing_docs)]

pub mod boundary;
mod defaults;
pub mod refusal;
pub mod validate;

pub use defaults::apply_defaults;
