//! The v1beta1 form of HTTPRoute, still served for older clients. It has the same spec and status
//! as v1, which is the stored version and the one to use for new manifests.

use crd_channels::{ObjectMeta, api};

use crate::v1::{HTTPRouteSpec, HTTPRouteStatus};

/// Matches HTTP requests and forwards, redirects or modifies them. This is the older v1beta1 form
/// with the same fields as v1; prefer v1 for new manifests.
///
/// +kubebuilder:resource:categories=gateway-api
/// +kubebuilder:subresource:status
/// +kubebuilder:printcolumn:name="Hostnames",type=string,JSONPath=".spec.hostnames"
/// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=".metadata.creationTimestamp"
/// +conformance:feature=HTTPRoute
#[api(group = "gateway.networking.k8s.io", version = "v1beta1", kind = "HTTPRoute")]
pub struct HTTPRoute {
    /// Name, namespace, labels and annotations of the route. Its namespace is where backends and
    /// parents without a namespace of their own are looked up; listeners may admit routes by it.
    pub metadata: ObjectMeta,
    /// Parents, hostnames and rules of the route, with the same fields as in v1. Written by the
    /// route author.
    pub spec: HTTPRouteSpec,
    /// What controllers report back, one entry for each parent and controller: whether the route is
    /// accepted there and its backends were found. Absent until one of them has looked at it.
    pub status: Option<HTTPRouteStatus>,
}
