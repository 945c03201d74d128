//! A cluster and its bundles: what it holds and what an upgrade would do ([`inspect`]), what programs that install CRDs do to them
//! ([`installers`], [`fate`]), and the upgrade of its objects ([`migrate`]).
//!
//! Knows nothing of `crd-markers`, `crd-generate`, `crd-compat`, `crd-release` or `minijinja`.
//!
//! Invariants: every request is sent by [`crd_cluster`]; [`inspect`] only reads.

pub mod fate;
pub mod inspect;
pub mod installers;
pub mod migrate;
