//! The published files of a release, installed with kubectl, kustomize and Helm.
//!
//! Invariants: two servers, each with a recorded story: the steps and the contents of the cluster after each. One test for each promise checks
//! the record; tests change nothing.

mod by_helm;
mod by_kubectl;
mod cluster;
pub(crate) mod helm;
mod journey;
mod page;
mod release;
mod rendering;
