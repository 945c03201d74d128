//! The deprecated v1alpha3 form of TLSRoute, kept for existing objects and clients. It has the same
//! spec and status as v1, which route authors should write instead.

use crd_channels::{ObjectMeta, api};

use crate::v1::{TLSRouteSpec, TLSRouteStatus};

/// Forwards TLS connections, chosen by SNI, to backends. This is the deprecated v1alpha3 form with
/// the same fields as v1; write v1 instead.
///
/// +kubebuilder:resource:categories=gateway-api
/// +kubebuilder:subresource:status
/// +kubebuilder:deprecatedversion:warning="TLSRoute v1alpha3 is on its way out, please move your manifests to gateway.networking.k8s.io/v1."
/// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=".metadata.creationTimestamp"
/// +conformance:feature=TLSRoute
#[api(group = "gateway.networking.k8s.io", version = "v1alpha3", kind = "TLSRoute")]
pub struct TLSRoute {
    /// Name, namespace, labels and annotations of the route. Its namespace is where backends and
    /// parents without a namespace of their own are looked up; listeners may admit routes by it.
    pub metadata: ObjectMeta,
    /// Parents, SNI hostnames and backends of the route, under the same rules as in v1. Written by
    /// the route author.
    pub spec: TLSRouteSpec,
    /// What controllers report back, one entry for each parent and controller: whether the route is
    /// accepted there and its backends were found. Absent until one of them has looked at it.
    pub status: Option<TLSRouteStatus>,
}
