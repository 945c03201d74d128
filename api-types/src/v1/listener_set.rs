//! The ListenerSet resource: extra listeners that attach to an existing Gateway, possibly from
//! another namespace. Application teams write them to manage their own hostnames and certificates;
//! cluster operators decide through allowedListeners of the Gateway who may do so.

use crd_channels::{Condition, ObjectMeta, api};

use crate::v1::{
    AllowedRoutes, Group, Hostname, Kind, ListenerFilters, ListenerTLSConfig, Namespace, ObjectName, PortNumber,
    ProtocolType, RouteGroupKind, SectionName,
};

/// Adds listeners to a Gateway without editing it, so that teams can own their ports, hostnames and
/// certificates. It has no effect until the Gateway allows it through allowedListeners.
///
/// +kubebuilder:resource:categories=gateway-api,shortName=lset
/// +kubebuilder:subresource:status
/// +kubebuilder:printcolumn:name="Accepted",type=string,JSONPath=`.status.conditions[?(@.type=="Accepted")].status`
/// +kubebuilder:printcolumn:name="Programmed",type=string,JSONPath=`.status.conditions[?(@.type=="Programmed")].status`
/// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=".metadata.creationTimestamp"
/// +lens:resource:group="gateway.networking.x-k8s.io",kind=XListenerSet,version=v1alpha1,since=v1.5.0
/// +conformance:feature=ListenerSet
#[api(group = "gateway.networking.k8s.io", version = "v1", kind = "ListenerSet")]
pub struct ListenerSet {
    /// Name, namespace, labels and annotations of the ListenerSet. The Gateway checks the namespace
    /// before admitting it, and routes use the name in their parent references.
    pub metadata: ObjectMeta,
    /// The Gateway to extend and the listeners to add to it. Written by the team that owns the
    /// hostnames or certificates.
    pub spec: ListenerSetSpec,
    /// What the Gateway's controller reports back about the set and its listeners. Until it
    /// responds, Accepted and Programmed are Unknown with reason Pending.
    ///
    /// +kubebuilder:default={conditions: {{type: "Accepted", status: "Unknown", reason:"Pending", message:"Waiting for controller", lastTransitionTime: "1970-01-01T00:00:00Z"},{type: "Programmed", status: "Unknown", reason:"Pending", message:"Waiting for controller", lastTransitionTime: "1970-01-01T00:00:00Z"}}}
    pub status: Option<ListenerSetStatus>,
}

/// Desired configuration of a ListenerSet: its parent Gateway and at least one listener to
/// contribute to it.
#[api]
pub struct ListenerSetSpec {
    /// The Gateway that receives these listeners. Unless its allowedListeners admits the namespace
    /// of this set, Accepted is False with reason NotAllowed.
    pub parent_ref: ParentGatewayReference,
    /// Listeners to add, 1 to 64, each with a unique name and a unique combination of port,
    /// protocol and hostname in this set. On conflicts across resources, those of the Gateway win,
    /// then those of the older ListenerSet.
    ///
    /// +listType=map
    /// +listMapKey=name
    /// +kubebuilder:validation:MinItems=1
    /// +kubebuilder:validation:MaxItems=64
    /// +kubebuilder:validation:XValidation:message="tls must not be specified for protocols ['HTTP', 'TCP', 'UDP']",rule="self.all(l, l.protocol in ['HTTP', 'TCP', 'UDP'] ? !has(l.tls) : true)"
    /// +kubebuilder:validation:XValidation:message="tls mode must be Terminate for protocol HTTPS",rule="self.all(l, (l.protocol == 'HTTPS' && has(l.tls)) ? (l.tls.mode == '' || l.tls.mode == 'Terminate') : true)"
    /// +kubebuilder:validation:XValidation:message="tls mode must be set for protocol TLS",rule="self.all(l, (l.protocol == 'TLS' ? has(l.tls) && has(l.tls.mode) && l.tls.mode != '' : true))"
    /// +kubebuilder:validation:XValidation:message="hostname must not be specified for protocols ['TCP', 'UDP']",rule="self.all(l, l.protocol in ['TCP', 'UDP']  ? (!has(l.hostname) || l.hostname == '') : true)"
    /// +kubebuilder:validation:XValidation:message="Listener name must be unique within the Gateway",rule="self.all(l1, self.exists_one(l2, l1.name == l2.name))"
    /// +kubebuilder:validation:XValidation:message="Combination of port, protocol and hostname must be unique for each listener",rule="self.all(l1, !has(l1.port) || self.exists_one(l2, has(l2.port) && l1.port == l2.port && l1.protocol == l2.protocol && (has(l1.hostname) && has(l2.hostname) ? l1.hostname == l2.hostname : !has(l1.hostname) && !has(l2.hostname))))"
    pub listeners: Vec<ListenerEntry>,
}

/// One port, protocol and optional hostname contributed to the parent Gateway, with TLS setup and
/// rules for which routes may attach.
#[api]
pub struct ListenerEntry {
    /// Identifies the listener within this ListenerSet; other sets and the Gateway can reuse the
    /// name. Routes whose parentRef is this ListenerSet put it in sectionName to attach to this
    /// listener alone.
    pub name: SectionName,
    /// Host this listener serves, compared with the Host header or, for TLS, the SNI; a leading
    /// wildcard label is allowed. When absent, any host on the port matches that no other listener
    /// claims. Not permitted for TCP and UDP.
    pub hostname: Option<Hostname>,
    /// Port from 1 to 65535 to open on the parent Gateway. It can be shared with other listeners of
    /// that Gateway and its sets if protocols are compatible and hostnames differ; otherwise the
    /// one with less precedence is Conflicted.
    ///
    /// +kubebuilder:validation:Minimum=1
    /// +kubebuilder:validation:Maximum=65535
    pub port: PortNumber,
    /// Protocol expected from clients: HTTP, HTTPS, TLS, TCP, UDP or a domain-prefixed custom
    /// value. The implementation behind the parent Gateway has to support it, or this listener is
    /// not accepted.
    pub protocol: ProtocolType,
    /// Certificates and TLS mode of this listener. HTTPS and TLS need it, HTTPS only in mode
    /// Terminate; HTTP, TCP and UDP forbid it. Secrets in the namespace of the ListenerSet need no
    /// ReferenceGrant.
    pub tls: Option<ListenerTLSConfig>,
    /// Limits which routes may attach, by namespace and kind. Defaults to routes in the namespace
    /// of this ListenerSet, not that of the Gateway, of any kind that fits the protocol.
    ///
    /// +kubebuilder:default={namespaces:{from: Same}}
    pub allowed_routes: Option<AllowedRoutes>,
    /// Processing that every HTTP request on this listener passes before a route is chosen for it,
    /// such as a call to an authorization service. Meant for the protocols HTTP and HTTPS. References
    /// are looked up in the namespace of the ListenerSet. Experimental channel only.
    ///
    /// +experimental
    /// +conformance:feature=GatewayListenerFilters
    pub filters: Option<ListenerFilters>,
}

/// Observed state of a ListenerSet, written by the controller of the parent Gateway and read by the
/// team that owns the set.
#[api]
pub struct ListenerSetStatus {
    /// State of the set as a whole. Accepted tells whether the Gateway took it in, Programmed
    /// whether its listeners have been sent to the data plane; both start as Unknown with reason
    /// Pending.
    ///
    /// +listType=map
    /// +listMapKey=type
    /// +kubebuilder:validation:MaxItems=8
    /// +kubebuilder:default={{type: "Accepted", status: "Unknown", reason:"Pending", message:"Waiting for controller", lastTransitionTime: "1970-01-01T00:00:00Z"},{type: "Programmed", status: "Unknown", reason:"Pending", message:"Waiting for controller", lastTransitionTime: "1970-01-01T00:00:00Z"}}
    pub conditions: Option<Vec<Condition>>,
    /// State of each listener in spec.listeners, keyed by its name. One listener may fail, for
    /// example over a conflict, while the others of the set work. Absent until the controller
    /// reports.
    ///
    /// +listType=map
    /// +listMapKey=name
    /// +kubebuilder:validation:MaxItems=64
    pub listeners: Option<Vec<ListenerEntryStatus>>,
}

/// Observed state of one contributed listener: the route kinds it takes, how many routes are
/// attached, and its conditions.
///
/// +lens:drop:path=port,since=v1.5.0,reason="the controller writes the status again"
#[api]
pub struct ListenerEntryStatus {
    /// Name of the listener in spec.listeners of this ListenerSet that the entry describes. It is
    /// the key by which status and configuration are matched.
    pub name: SectionName,
    /// Route kinds that can really attach, given the protocol, allowedRoutes and the abilities of
    /// the implementation. Invalid kinds are dropped here and make ResolvedRefs False.
    ///
    /// +listType=atomic
    /// +kubebuilder:validation:MaxItems=8
    pub supported_kinds: Option<Vec<RouteGroupKind>>,
    /// Number of routes that refer to this ListenerSet listener and are admitted by allowedRoutes.
    /// Routes with other problems are counted too. Routes that name only the Gateway are not
    /// included.
    pub attached_routes: i32,
    /// State of this listener by condition type, such as Accepted, Programmed, ResolvedRefs and
    /// Conflicted. A clash with the Gateway or with another ListenerSet is visible here.
    ///
    /// +listType=map
    /// +listMapKey=type
    /// +kubebuilder:validation:MaxItems=8
    pub conditions: Vec<Condition>,
}

/// Names the Gateway that a ListenerSet extends, in the same or in another namespace.
#[api]
pub struct ParentGatewayReference {
    /// API group of the parent. Defaults to gateway.networking.k8s.io, which is the right value for
    /// a Gateway, so authors can normally leave it out.
    ///
    /// +kubebuilder:default="gateway.networking.k8s.io"
    pub group: Option<Group>,
    /// Kind of the parent resource. Defaults to Gateway, the only kind with portable support, so
    /// authors can normally leave it out.
    ///
    /// +kubebuilder:default=Gateway
    pub kind: Option<Kind>,
    /// Name of the Gateway to extend. The set stays Pending while no Gateway of that name exists in
    /// the chosen namespace.
    pub name: ObjectName,
    /// Namespace of the Gateway. When absent, it is the namespace of the ListenerSet; no
    /// ReferenceGrant is needed across namespaces, because allowedListeners of the Gateway decides.
    pub namespace: Option<Namespace>,
}
