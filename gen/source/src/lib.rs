//! Rust source of annotated types: read without a compiler ([`reader`]), and written from published CRDs (`importer`, behind a feature of this name,
//! because `generate` only reads).
//!
//! Knows nothing of `crd-bundle`, `crd-compat` or `crd-generator`.

#[cfg(feature = "importer")]
pub mod importer;
pub mod reader;
