//! The API reference in the browser: one HTML file without network access, from the releases of a project.
//!
//! Invariants: pure functions over values: no clock, files or network. The same input gives the same bytes. Text of CRDs is never markup.
#![deny(missing_docs)]
