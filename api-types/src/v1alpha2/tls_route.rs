//! The deprecated v1alpha2 form of TLSRoute, kept so that existing objects and clients continue to
//! work. Route authors should write v1. Rules and status are shared with v1, the limits are looser
//! here.

use crd_channels::{ObjectMeta, api};

use crate::v1::{CommonRouteSpec, Hostname, TLSRouteRule, TLSRouteStatus};

/// Forwards TLS connections, chosen by SNI, to backends. This is the deprecated v1alpha2 form;
/// write gateway.networking.k8s.io/v1 instead.
///
/// +kubebuilder:resource:categories=gateway-api
/// +kubebuilder:subresource:status
/// +kubebuilder:deprecatedversion:warning="TLSRoute v1alpha2 is on its way out, please move your manifests to gateway.networking.k8s.io/v1."
/// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=".metadata.creationTimestamp"
/// +conformance:feature=TLSRoute
#[api(group = "gateway.networking.k8s.io", version = "v1alpha2", kind = "TLSRoute")]
pub struct TLSRoute {
    /// Name, namespace, labels and annotations of the route. Its namespace is where backends and
    /// parents without a namespace of their own are looked up; listeners may admit routes by it.
    pub metadata: ObjectMeta,
    /// Parents, SNI hostnames and backends of the route. Written by the route author. Other than in
    /// v1, hostnames may be left out.
    pub spec: TLSRouteSpec,
    /// What controllers report back, one entry for each parent and controller: whether the route is
    /// accepted there and its backends were found. Absent until one of them has looked at it.
    pub status: Option<TLSRouteStatus>,
}

/// Desired configuration of a v1alpha2 TLSRoute. It is looser than v1, which requires hostnames and
/// takes exactly one rule.
#[api]
pub struct TLSRouteSpec {
    /// Parents of the route and other settings that all route kinds have in common, at the top
    /// level of spec.
    #[serde(flatten)]
    pub common_route_spec: CommonRouteSpec,
    /// Names compared with the SNI of the client, up to 1024; the first label may be a wildcard, IP
    /// addresses do not work. At least one must overlap with the listener's hostname, if it has
    /// one. When absent, every name that the listener serves matches.
    ///
    /// +listType=atomic
    /// +kubebuilder:validation:MaxItems=1024
    pub hostnames: Option<Vec<Hostname>>,
    /// Backends for the connections, 1 to 16 rules. They have no match criteria beyond the
    /// hostnames of the route, so write just one, as v1 demands. Rule names, where given, have to
    /// differ.
    ///
    /// +listType=atomic
    /// +kubebuilder:validation:MinItems=1
    /// +kubebuilder:validation:MaxItems=16
    /// +experimental:kubebuilder:validation:XValidation:message="Rule name must be unique within the route",rule="self.all(l1, !has(l1.name) || self.exists_one(l2, has(l2.name) && l1.name == l2.name))"
    pub rules: Vec<TLSRouteRule>,
}
