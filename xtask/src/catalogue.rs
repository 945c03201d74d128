//! The catalogue of Gateway API: which types make up its bundles, and what every CRD of them carries.
//!
//! Fed with the types of `gateway-api-types`. Read by `cargo xtask`, and by the tests and benchmarks beside it.

use crd_channels_cli::Catalogue;

/// All resources of Gateway API. Kubernetes protects groups under `k8s.io`: the annotation says where each was approved.
pub(crate) fn catalogue() -> Catalogue {
    Catalogue::new("gateway.networking.k8s.io", "v1.6.1")
        .named("gateway-api")
        .annotation("api-approved.kubernetes.io", "https://github.com/kubernetes-sigs/gateway-api/pull/4530")
        .resources(gateway_api_types::RESOURCES.iter().copied())
}
