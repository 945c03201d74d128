//! Artefacts: what a released bundle is published as.
//!
//! Knows nothing of `crd-markers`, `crd-generate`, `crd-review`, `crd-cluster` or `ureq`.
//!
//! Invariants: values to values: no clock, filesystem, git or network; the same release is the same bytes; texts come from `templates/`, and
//! what is structure (CRDs, policies, the SBOM) is built as values and never as text.

pub mod archive;
pub mod bindings;
pub mod chart;
pub mod conversions;
pub mod install;
pub mod kustomization;
pub mod notes;
pub mod oci;
mod release;
pub mod sbom;
pub mod signatures;
pub mod sums;
pub mod template;
pub mod verification;
pub mod webhook;

pub use release::{Artefact, NOTES, Release};
