//! TCPRoute: forwarding of plain TCP connections from a listener to weighted backends. Application
//! teams write these objects for protocols that have no route kind of their own.

use crd_channels::{ObjectMeta, api};

use crate::v1::{BackendRef, CommonRouteSpec, RouteStatus, SectionName};

/// Forwards TCP connections of a listener to backends without looking into the stream. Only the
/// port decides what arrives here, there is no hostname.
///
/// +kubebuilder:resource:categories=gateway-api
/// +kubebuilder:storageversion
/// +kubebuilder:subresource:status
/// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=".metadata.creationTimestamp"
/// +lens:resource:version=v1alpha2,since=v1.6.0
/// +conformance:feature=TCPRoute
#[api(group = "gateway.networking.k8s.io", version = "v1", kind = "TCPRoute")]
pub struct TCPRoute {
    /// Standard Kubernetes object metadata. Its name and namespace identify the route, its labels
    /// and creation time help controllers to select it and settle conflicts.
    pub metadata: ObjectMeta,
    /// What the route author asks for: parents to attach to and the backends that receive their
    /// connections.
    pub spec: TCPRouteSpec,
    /// What controllers report about the route, one entry per parent. Absent until a controller has
    /// looked at it; not meant to be edited by hand.
    pub status: Option<TCPRouteStatus>,
}

/// Desired behavior of a TCPRoute: the parents whose connections it takes and the rule that
/// forwards them.
#[api]
pub struct TCPRouteSpec {
    /// Attachment settings shared by all route kinds (parentRefs and relatives), placed directly at
    /// this level of the object.
    #[serde(flatten)]
    pub common_route_spec: CommonRouteSpec,
    /// The forwarding rule, exactly one. As TCP offers nothing to match on, it takes every
    /// connection of the listeners that the route is attached to.
    ///
    /// +listType=atomic
    /// +kubebuilder:validation:MinItems=1
    /// +kubebuilder:validation:MaxItems=1
    pub rules: Vec<TCPRouteRule>,
}

/// Result of attaching a TCPRoute to its parents, written by the controllers of those parents.
#[api]
pub struct TCPRouteStatus {
    /// Attachment results shared by all route kinds, placed directly at this level of the object
    /// and written by controllers only.
    #[serde(flatten)]
    pub route_status: RouteStatus,
}

/// Says where the TCP connections of the route go. It has no conditions, only backends with
/// weights.
#[api]
pub struct TCPRouteRule {
    /// Optional label of the rule, so that policies and status messages can address it. Without it
    /// the rule works the same but cannot be targeted.
    pub name: Option<SectionName>,
    /// Backends among which new connections are shared by weight, 1 to 16. Connections that fall to
    /// an invalid backend or one without endpoints are refused, in line with its weight.
    ///
    /// +listType=atomic
    /// +kubebuilder:validation:MinItems=1
    /// +kubebuilder:validation:MaxItems=16
    pub backend_refs: Vec<BackendRef>,
}
