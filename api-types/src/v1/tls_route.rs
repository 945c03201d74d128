//! TLSRoute: routing of TLS connections by the server name (SNI) in the handshake, without regard
//! to the protocol inside. Application teams write these objects, mostly for listeners in
//! Passthrough mode where the backend holds the certificate.

use crd_channels::{ObjectMeta, api};

use crate::v1::{BackendRef, CommonRouteSpec, Hostname, RouteStatus, SectionName};

/// Routes TLS connections to backends by the server name (SNI) that the client sends. With a
/// Passthrough listener the stream stays encrypted up to the backend; Terminate mode is up to the
/// implementation.
///
/// +kubebuilder:resource:categories=gateway-api
/// +kubebuilder:storageversion
/// +kubebuilder:subresource:status
/// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=".metadata.creationTimestamp"
/// +lens:resource:version=v1alpha2,since=v1.4.0
/// +lens:resource:version=v1alpha3,since=v1.5.0
/// +conformance:feature=TLSRoute
#[api(group = "gateway.networking.k8s.io", version = "v1", kind = "TLSRoute")]
pub struct TLSRoute {
    /// Standard Kubernetes object metadata. Its name and namespace identify the route, its labels
    /// and creation time help controllers to select it and settle conflicts.
    pub metadata: ObjectMeta,
    /// What the route author asks for: parents to attach to, server names to serve and the backends
    /// that receive the connections.
    pub spec: TLSRouteSpec,
    /// What controllers report about the route, one entry per parent. Absent until a controller has
    /// looked at it; not meant to be edited by hand.
    pub status: Option<TLSRouteStatus>,
}

/// Desired behavior of a TLSRoute: its parents, the server names it answers for and the rule that
/// forwards connections.
#[api]
pub struct TLSRouteSpec {
    /// Attachment settings shared by all route kinds (parentRefs and relatives), placed directly at
    /// this level of the object.
    #[serde(flatten)]
    pub common_route_spec: CommonRouteSpec,
    /// Server names, compared with the SNI of the handshake, that this route serves; at least one,
    /// no IP addresses. A leading '*.' covers all subdomains. If none overlaps with the listener
    /// hostname, the route is not accepted there.
    ///
    /// +listType=atomic
    /// +kubebuilder:validation:MinItems=1
    /// +kubebuilder:validation:MaxItems=1024
    /// +kubebuilder:validation:XValidation:message="Hostnames cannot contain an IP",rule="self.all(h, !isIP(h))"
    /// +kubebuilder:validation:XValidation:message="Hostnames must be valid based on RFC-1123",rule=`self.all(h, !h.contains('*') ? h.matches('^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)$') : true)`
    /// +kubebuilder:validation:XValidation:message="Wildcards on hostnames must be the first label, and the rest of hostname must be valid based on RFC-1123",rule=`self.all(h, h.contains('*') ? (h.startsWith('*.') && h.substring(2).matches('^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)$')) : true)`
    pub hostnames: Vec<Hostname>,
    /// The forwarding rule, exactly one. It takes all connections whose server name fits the
    /// hostnames of the route.
    ///
    /// +listType=atomic
    /// +kubebuilder:validation:MinItems=1
    /// +kubebuilder:validation:MaxItems=1
    pub rules: Vec<TLSRouteRule>,
}

/// Result of attaching a TLSRoute to its parents, written by the controllers of those parents.
#[api]
pub struct TLSRouteStatus {
    /// Attachment results shared by all route kinds, placed directly at this level of the object
    /// and written by controllers only.
    #[serde(flatten)]
    pub route_status: RouteStatus,
}

/// Says where the TLS connections of the route go. It has no conditions beyond the hostnames of the
/// route, only backends with weights.
#[api]
pub struct TLSRouteRule {
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
