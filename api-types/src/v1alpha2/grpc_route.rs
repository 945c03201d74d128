//! The former v1alpha2 form of GRPCRoute. It is no longer part of the published CRD; only the Rust
//! type remains, for programs that read old manifests.

use crd_channels::{ObjectMeta, api};

use crate::v1::{GRPCRouteSpec, GRPCRouteStatus};

/// Routes gRPC calls by service, method and headers. This v1alpha2 form is not served any more; use
/// v1, which has the same fields.
///
/// +kubebuilder:skipversion
/// +conformance:feature=GRPCRoute
#[api(group = "gateway.networking.k8s.io", version = "v1alpha2", kind = "GRPCRoute")]
pub struct GRPCRoute {
    /// Name, namespace, labels and annotations of the route. Its namespace is where backends and
    /// parents without a namespace of their own are looked up.
    pub metadata: ObjectMeta,
    /// Parents, hostnames and rules of the route, with the same fields as in v1. Written by the
    /// route author.
    pub spec: GRPCRouteSpec,
    /// What controllers report back for each parent of the route. Absent until one of them has
    /// looked at it.
    pub status: Option<GRPCRouteStatus>,
}
