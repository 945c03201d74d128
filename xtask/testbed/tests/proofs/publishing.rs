//! The published files of a release, installed with kubectl, kustomize and Helm.
//!
//! Invariants: two servers, each with a recorded story: the steps and the contents of the cluster after each. One test for each promise checks
//! the record; tests change nothing.

#[path = "publishing/by_helm.rs"]
mod by_helm;
#[path = "publishing/by_kubectl.rs"]
mod by_kubectl;
#[path = "publishing/cluster.rs"]
mod cluster;
#[path = "publishing/helm.rs"]
mod helm;
#[path = "publishing/page.rs"]
mod page;
#[path = "publishing/release.rs"]
mod release;
#[path = "publishing/rendering.rs"]
mod rendering;
