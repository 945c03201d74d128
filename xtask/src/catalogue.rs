//! The catalogue of Gateway API: the types of its bundles, and what each CRD of them carries.

use crd_channels_cli::Catalogue;

/// All resources of Gateway API. Kubernetes protects groups under `k8s.io`: the annotation links the approval of each.
pub(crate) fn catalogue() -> Catalogue {
    Catalogue::new("gateway.networking.k8s.io", "v1.6.1")
        .named("gateway-api")
        .annotation("api-approved.kubernetes.io", "https://github.com/kubernetes-sigs/gateway-api/pull/4530")
        .constants("v1", gateway_api_types::v1::conditions::CONSTANTS)
        .constants("v1alpha1", gateway_api_types::v1alpha1::conditions::CONSTANTS)
        .functions(gateway_api_types::conversions::FRONTEND_VALIDATION)
        .resources(gateway_api_types::RESOURCES.iter().copied())
}
