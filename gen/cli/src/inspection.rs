//! Inspection of a cluster: what the user names becomes a question, and the report is printed.
//!
//! Invariants: the cluster is only read. What there is to report about single objects is kept in a temporary file, so that memory does not grow with the cluster.

pub(crate) mod document;
pub(crate) mod dump;
pub(crate) mod output;
pub(crate) mod releases;
pub(crate) mod spool;
pub(crate) mod target;
mod text;
