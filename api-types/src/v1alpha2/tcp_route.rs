//! The deprecated v1alpha2 form of TCPRoute, kept so that existing objects and clients continue to
//! work. Route authors should write v1. Rules and status are shared with v1, the limits are looser
//! here.

use crd_channels::{ObjectMeta, api};

use crate::v1::{CommonRouteSpec, TCPRouteRule, TCPRouteStatus};

/// Forwards TCP connections that arrive at a listener to backends. This is the deprecated v1alpha2
/// form; write gateway.networking.k8s.io/v1 instead.
///
/// +kubebuilder:resource:categories=gateway-api
/// +kubebuilder:subresource:status
/// +kubebuilder:deprecatedversion:warning="TCPRoute v1alpha2 is on its way out, please move your manifests to gateway.networking.k8s.io/v1."
/// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=".metadata.creationTimestamp"
/// +conformance:feature=TCPRoute
#[api(group = "gateway.networking.k8s.io", version = "v1alpha2", kind = "TCPRoute")]
pub struct TCPRoute {
    /// Name, namespace, labels and annotations of the route. Its namespace is where backends and
    /// parents without a namespace of their own are looked up; listeners may admit routes by it.
    pub metadata: ObjectMeta,
    /// Listeners to take TCP connections from and backends to pass them to. Written by the route
    /// author.
    pub spec: TCPRouteSpec,
    /// What controllers report back, one entry for each parent and controller: whether the route is
    /// accepted there and its backends were found. Absent until one of them has looked at it.
    pub status: Option<TCPRouteStatus>,
}

/// Desired configuration of a v1alpha2 TCPRoute. It allows several rules, whereas v1 takes exactly
/// one.
#[api]
pub struct TCPRouteSpec {
    /// Parents of the route and other settings that all route kinds have in common, at the top
    /// level of spec.
    #[serde(flatten)]
    pub common_route_spec: CommonRouteSpec,
    /// Backends for the connections, 1 to 16 rules. They have no match criteria that could tell
    /// them apart, so write just one, as v1 demands. Rule names, where given, have to differ.
    ///
    /// +listType=atomic
    /// +kubebuilder:validation:MinItems=1
    /// +kubebuilder:validation:MaxItems=16
    /// +experimental:kubebuilder:validation:XValidation:message="Rule name must be unique within the route",rule="self.all(l1, !has(l1.name) || self.exists_one(l2, has(l2.name) && l1.name == l2.name))"
    pub rules: Vec<TCPRouteRule>,
}
