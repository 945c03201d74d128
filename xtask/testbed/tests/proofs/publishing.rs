//! What a release is published as, tried with the tools that people install it with: kubectl, kustomize and Helm.
//!
//! Invariants: two servers, each with a story: what was done on it and what it held after, recorded first and judged after, by one test for each
//! thing that is promised; tests change nothing.

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
