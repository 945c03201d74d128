//! Graduation from experimental to standard: the life of every experimental name, the evidence for it, and when the criteria are met.
//!
//! Invariants: pure functions over values: no clock, files or network. The same releases and evidence give the same result.
#![deny(missing_docs)]
