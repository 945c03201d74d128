//! What other languages and tools need of an API: a Go module, JSON schemas for editors and validators, and OpenAPI documents.
//!
//! Knows nothing of `crd-bundle`, `crd-compat` or `crd-source`.
//!
//! `go` is made of the types of a catalogue; `json_schema` and `openapi` are made of any CRDs.
//!
//! Invariants: pure functions over values; the same input gives the same bytes; whatever a target cannot express is a diagnostic, and nothing is
//! written.

pub mod go;
pub mod json_schema;
pub mod openapi;

/// The pages of the codes of diagnostics.
pub const PAGES: &str = include_str!("codes.md");
