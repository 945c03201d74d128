//! The catalogue of Gateway API: the types of its bundles, and what each CRD of them carries.

// By its path, because tests include this file from other folders.
#[path = "unique_names.rs"]
mod unique_names;

use crd_generate::{Catalogue, Webhook};

/// The group of the bundle's resources that the rules of the webhook read.
const GROUP: &str = gateway_api_types::GROUP;

/// All resources of Gateway API. Kubernetes protects groups under `k8s.io`: the annotation links the approval of each.
pub(crate) fn catalogue() -> Catalogue {
    Catalogue::new("gateway.networking.k8s.io", "v1.6.1")
        .named("gateway-api")
        .annotation("api-approved.kubernetes.io", "https://github.com/kubernetes-sigs/gateway-api/pull/4530")
        .constants("v1", gateway_api_types::v1::conditions::CONSTANTS)
        .constants("v1alpha1", gateway_api_types::v1alpha1::conditions::CONSTANTS)
        .functions(gateway_api_types::conversions::FRONTEND_VALIDATION)
        .policy(unique_names::policy())
        .webhook(webhook())
        .resources(gateway_api_types::RESOURCES.iter().copied())
}

/// The validating webhook, and exactly what its rules read.
fn webhook() -> Webhook {
    // The placeholder registry of this project.
    Webhook::new("ghcr.io/crd-channels/gateway-api-webhook")
        .reads("", "namespaces")
        .reads("", "services")
        .reads(GROUP, "gateways")
        .reads(GROUP, "listenersets")
        .reads(GROUP, "referencegrants")
        .reads(gateway_api_types::EXPERIMENTAL_GROUP, "xbackends")
}
