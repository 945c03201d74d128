//! The experimental XBackend resource: a destination for routes, such as a host outside the
//! cluster or Pods with certain labels, with port, protocol and TLS settings in one object. Application owners write it and
//! refer to it in backendRefs; controllers that support it connect accordingly.

use std::collections::BTreeMap;

use crd_channels::{Condition, ObjectMeta, api};

use crate::v1::{
    BackendTLSPolicyValidation, GatewayController, LabelKey, LabelValue, ParentReference, PreciseHostname,
    SecretObjectReference, SessionPersistence,
};

/// A destination that routes can name in backendRefs instead of a Service: a host outside the
/// cluster, or Pods with certain labels. Experimental: the API may change incompatibly or vanish.
///
/// +experimental
/// +kubebuilder:resource:categories=gateway-api,shortName=xbackend
/// +kubebuilder:subresource:status
/// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=".metadata.creationTimestamp"
#[api(group = "gateway.networking.x-k8s.io", version = "v1alpha1", kind = "XBackend")]
pub struct XBackend {
    /// Name, namespace, labels and annotations of the backend. Routes refer to it by name; from
    /// another namespace they need a ReferenceGrant.
    pub metadata: ObjectMeta,
    /// Where the backend is and how to talk to it: destination, port, protocol and TLS. Written by
    /// whoever owns the connection to it.
    pub spec: BackendSpec,
    /// What controllers report back for each ancestor through which the backend is used, usually a
    /// Gateway. Absent until a controller has looked at it.
    pub status: Option<BackendStatus>,
}

/// Ways to describe where a backend is. More may be added, so readers have to expect unknown values.
#[api]
pub enum BackendType {
    /// A host outside the cluster, found by DNS; takes the place of a Service of type ExternalName.
    ExternalHostname,
    /// The Pods of the namespace that have certain labels; takes the place of a Service.
    EndpointSelector,
}

/// Desired configuration of an XBackend. The type decides which destination field must be set;
/// port, protocol and TLS apply to every type.
///
/// +kubebuilder:validation:XValidation:message="externalHostname must be set when type is ExternalHostname and must be unset otherwise",rule="self.type == 'ExternalHostname' ? has(self.externalHostname) : !has(self.externalHostname)"
/// +kubebuilder:validation:XValidation:message="endpointSelector must be set when type is EndpointSelector and must be unset otherwise",rule="self.type == 'EndpointSelector' ? has(self.endpointSelector) : !has(self.endpointSelector)"
/// +kubebuilder:validation:XValidation:message="tls must be disabled when protocol is H2C, use protocol HTTP2 for HTTP/2 with tls",rule="!has(self.protocol) || self.protocol != 'H2C' || !has(self.tls) || self.tls.mode == 'None'"
/// +kubebuilder:validation:XValidation:message="tls must be enabled when protocol is HTTP2, use protocol H2C for HTTP/2 without tls",rule="!has(self.protocol) || self.protocol != 'HTTP2' || (has(self.tls) && self.tls.mode != 'None')"
/// +kubebuilder:validation:XValidation:message="tls must be enabled when protocol is WSS",rule="!has(self.protocol) || self.protocol != 'WSS' || (has(self.tls) && self.tls.mode != 'None')"
/// +kubebuilder:validation:XValidation:message="sessionPersistence can only be set when type is EndpointSelector",rule="has(self.sessionPersistence) ? self.type == 'EndpointSelector' : true"
#[api]
pub struct BackendSpec {
    /// Selects how the destination is given. Each value requires the destination field of its name,
    /// externalHostname or endpointSelector, and excludes the other one.
    pub r#type: BackendType,
    /// The port to connect to at the destination. A backend has exactly one; use another XBackend
    /// for a second port on the same host.
    pub port: BackendPort,
    /// The DNS name to connect to. Must be set for type ExternalHostname and left out for any other
    /// type.
    pub external_hostname: Option<ExternalHostnameBackend>,
    /// The labels of the Pods to connect to. Must be set for type EndpointSelector and left out for
    /// any other type.
    pub endpoint_selector: Option<EndpointSelectorBackend>,
    /// Keeps the requests of one client session on the same Pod. Only for type EndpointSelector,
    /// because the data plane does not see the servers behind a hostname.
    pub session_persistence: Option<SessionPersistence>,
    /// Protocol to use towards the backend, for example H2C or MCP where it cannot be guessed. When
    /// absent, it follows from the route and listener that the traffic came through. HTTP2 and WSS
    /// need TLS, H2C excludes it. TCP and MCP are not supported by every implementation.
    pub protocol: Option<BackendProtocol>,
    /// Whether and how connections to the backend are encrypted and verified. Default: mode None, no
    /// TLS, which is unsafe for hosts outside the cluster.
    ///
    /// +kubebuilder:default={mode: None}
    pub tls: Option<BackendTLS>,
}

/// The port on which every destination of the backend listens.
///
/// +lens:rename:from=port,to=number,since=v1.7.0,reason="a port has a number, and the field is in `port` already"
/// +lens:drop:path=name,since=v1.7.0,reason="it had no effect on connections"
/// +kubebuilder:validation:MinProperties=1
#[api]
pub struct BackendPort {
    /// Port number to connect to on the destination host, from 1 to 65535. There is no default, not
    /// even for HTTP or TLS, so 80 or 443 has to be written out.
    ///
    /// +go:type=value
    pub number: Option<PortNumber>,
}

/// A network port of a backend, from 1 to 65535; zero is not allowed as a wildcard.
///
/// +kubebuilder:validation:Minimum=1
/// +kubebuilder:validation:Maximum=65535
#[api]
pub struct PortNumber(pub i32);

/// Destination outside the cluster that the data plane finds by resolving a DNS name.
#[api]
pub struct ExternalHostnameBackend {
    /// Full DNS name of the host, in lowercase and without wildcard. IP addresses are not meant
    /// here, and names ending in .cluster.local are refused, so that the backend cannot be used to
    /// get at Services of the cluster.
    ///
    /// +kubebuilder:validation:XValidation:message="hostname must not be an IP address or end with .cluster.local",rule="!self.endsWith('.cluster.local')"
    pub hostname: PreciseHostname,
}

/// Destination inside the cluster: the Pods of the namespace of the XBackend that have certain
/// labels. No Service is involved.
#[api]
pub struct EndpointSelectorBackend {
    /// The labels, at the level of the selector itself.
    #[serde(flatten)]
    pub label_selector: LabelSelector,
}

/// Chooses Pods by labels that they must have. Unlike other label selectors of Kubernetes, it has no
/// expressions.
#[api]
pub struct LabelSelector {
    /// Labels with their values, 1 to 64, all of which a Pod must have.
    ///
    /// +kubebuilder:validation:MinProperties=1
    /// +kubebuilder:validation:MaxProperties=64
    /// +kubebuilder:validation:XValidation:message="Label keys must be in the form of an optional DNS subdomain prefix not longer than 253 characters followed by a required name segment of up to 63 characters.",rule="self.all(key, !format.qualifiedName().validate(key).hasValue())"
    pub match_labels: BTreeMap<LabelKey, LabelValue>,
}

/// Application or transport protocol spoken between the data plane and a backend. Encryption is
/// configured separately under tls.
#[api]
pub enum BackendProtocol {
    /// A plain byte stream; nothing in it is interpreted. Optional for implementations.
    TCP,
    /// HTTP of whichever version is negotiated with the backend or preferred by the implementation.
    HTTP,
    /// HTTP version 2. Meant for backends with TLS; H2C is the cleartext counterpart.
    HTTP2,
    /// HTTP version 1.1, for backends that should not be offered anything newer.
    HTTP11,
    /// HTTP/2 in cleartext from the first byte, for backends that know it without TLS negotiation.
    H2C,
    /// Model Context Protocol, spoken by tool servers for AI agents. Optional for implementations.
    MCP,
    /// Calls of gRPC over HTTP/2, with or without TLS.
    GRPC,
    /// WebSocket connections over TLS.
    WSS,
}

/// How far TLS goes on the connection to a backend: not at all, with a server certificate, or with
/// certificates on both sides.
#[api]
pub enum BackendTLSMode {
    /// No TLS: the connection is in cleartext and nobody is authenticated.
    None,
    /// TLS in which the backend proves its identity with a certificate and the Gateway stays
    /// anonymous.
    ServerOnly,
    /// Mutual TLS: the Gateway also presents a certificate, taken from clientCertificateRef.
    ClientAndServer,
}

/// TLS settings for connections to a backend. A client certificate is required in mode
/// ClientAndServer and refused in every other mode. Validation is required in every mode but None,
/// and refused there.
///
/// +kubebuilder:validation:XValidation:message="clientCertificateRef must be set if and only if mode is ClientAndServer",rule="self.mode == 'ClientAndServer' ? has(self.clientCertificateRef) : !has(self.clientCertificateRef)"
/// +kubebuilder:validation:XValidation:message="validation must be set if and only if mode is either ClientAndServer or ServerOnly",rule="self.mode == 'None' ? !has(self.validation) : has(self.validation)"
#[api]
pub struct BackendTLS {
    /// Turns TLS off (None), on (ServerOnly) or on with a client certificate (ClientAndServer).
    /// There is no default; whoever writes tls has to choose.
    pub mode: BackendTLSMode,
    /// Secret with the certificate and private key that the Gateway shows to the backend. Must be
    /// set in mode ClientAndServer and in no other. A Secret in another namespace needs a
    /// ReferenceGrant.
    pub client_certificate_ref: Option<SecretObjectReference>,
    /// How the certificate of the backend is checked: trusted CAs, expected hostname and
    /// alternative names. Must be set for every mode but None, and left out for None.
    pub validation: Option<BackendTLSPolicyValidation>,
}

/// Observed state of an XBackend, kept separately for each ancestor because several Gateways and
/// controllers can use the same backend.
#[api]
pub struct BackendStatus {
    /// One entry per ancestor, mostly Gateways, and controller, at most 32. An empty or absent list
    /// means that no controller has taken up the backend. Controllers remove their own entries when
    /// an ancestor no longer uses it.
    ///
    /// +kubebuilder:validation:MaxItems=32
    /// +listType=atomic
    /// +lens:rename:from=parents,since=v1.7.0,reason="a Gateway is no parent of a backend, but an ancestor, as in policies"
    pub ancestors: Option<Vec<BackendAncestorStatus>>,
}

/// State of an XBackend with respect to one ancestor, as seen by one controller.
///
/// +lens:rename:from=parentRef,to=ancestorRef,since=v1.7.0
#[api]
pub struct BackendAncestorStatus {
    /// Domain-prefixed name of the controller that wrote this entry, for example
    /// example.net/gateway-controller. Other controllers leave the entry alone.
    pub controller_name: GatewayController,
    /// The object through which the backend is used and that this entry speaks about, usually a
    /// Gateway. A route is not listed here even though it holds the reference.
    pub ancestor_ref: ParentReference,
    /// State of the backend at this ancestor, keyed by condition type. Accepted tells whether the
    /// controller recognized the backend and can use it. Absent if nothing is reported yet.
    ///
    /// +listType=map
    /// +listMapKey=type
    pub conditions: Option<Vec<Condition>>,
}
