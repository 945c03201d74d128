//! What a cluster holds, compared with the known bundles, and what an upgrade or a switch of channels would do to its objects.
//!
//! Invariants:
//! * Everything is computed from what [`crd_cluster`] read and from bundles: nothing is sent to the cluster.
//! * Memory depends on the CRDs, never on the number of objects.
#![deny(missing_docs)]

pub mod forecast;
