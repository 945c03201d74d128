//! The experimental XBackend resource: a destination for routes, such as a host outside the
//! cluster, with port, protocol and TLS settings in one object. Application owners write it and
//! refer to it in backendRefs; controllers that support it connect accordingly.

use crd_channels::{Condition, ObjectMeta, api};

use crate::v1::{
    BackendTLSPolicyValidation, GatewayController, ParentReference, PreciseHostname, SecretObjectReference,
};

/// A destination that routes can name in backendRefs instead of a Service, for now a host outside
/// the cluster. Experimental: the API may change incompatibly or vanish.
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
    /// What controllers report back for each parent through which the backend is used, usually a
    /// Gateway. Absent until a controller has looked at it.
    pub status: Option<BackendStatus>,
}

/// Ways to describe where a backend is. This release knows one; more may be added, so readers have
/// to expect unknown values.
#[api]
pub enum BackendType {
    /// A host outside the cluster, found by DNS; takes the place of a Service of type ExternalName.
    ExternalHostname,
}

/// Desired configuration of an XBackend. The type decides which destination field must be set;
/// port, protocol and TLS apply to every type.
///
/// +kubebuilder:validation:XValidation:message="externalHostname must be set when type is ExternalHostname and must be unset otherwise",rule="self.type == 'ExternalHostname' ? has(self.externalHostname) : !has(self.externalHostname)"
#[api]
pub struct BackendSpec {
    /// Selects how the destination is given. ExternalHostname, the only value so far, requires the
    /// field externalHostname to be set.
    pub r#type: BackendType,
    /// The port to connect to at the destination. A backend has exactly one; use another XBackend
    /// for a second port on the same host.
    pub port: BackendPort,
    /// The DNS name to connect to. Must be set for type ExternalHostname and left out for any other
    /// type.
    pub external_hostname: Option<ExternalHostnameBackend>,
    /// Protocol to use towards the backend, for example H2C or MCP where it cannot be guessed. When
    /// absent, it follows from the route and listener that the traffic came through. TCP and MCP
    /// are not supported by every implementation.
    pub protocol: Option<BackendProtocol>,
    /// Whether and how connections to the backend are encrypted and verified. When absent, TLS is
    /// not configured here, which is unsafe for hosts outside the cluster.
    pub tls: Option<BackendTLS>,
}

/// Number of the port on which the backend listens, along with an optional name for it.
#[api]
pub struct BackendPort {
    /// Label for the port, at most 63 characters: lowercase letters, digits and inner hyphens, like
    /// a DNS label. May be empty or absent; it does not change where connections go.
    ///
    /// +kubebuilder:validation:MaxLength=63
    /// +kubebuilder:validation:XValidation:message="Name must be a valid DNS label",rule="size(self) == 0 || format.dns1123Label().validate(self) == null"
    pub name: Option<String>,
    /// Port number to connect to on the destination host, from 1 to 65535. There is no default, not
    /// even for HTTP or TLS, so 80 or 443 has to be written out.
    pub port: PortNumber,
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
/// ClientAndServer and refused in every other mode.
///
/// +kubebuilder:validation:XValidation:message="clientCertificateRef must be set if and only if mode is ClientAndServer",rule="self.mode == 'ClientAndServer' ? has(self.clientCertificateRef) : !has(self.clientCertificateRef)"
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
    /// alternative names. When absent, the checks are left to the implementation, so set it for
    /// every mode but None.
    pub validation: Option<BackendTLSPolicyValidation>,
}

/// Observed state of an XBackend, kept separately for each parent because several Gateways and
/// controllers can use the same backend.
#[api]
pub struct BackendStatus {
    /// One entry per parent, mostly Gateways, and controller, at most 32. An empty or absent list
    /// means that no controller has taken up the backend. Controllers remove their own entries when
    /// a parent no longer uses it.
    ///
    /// +kubebuilder:validation:MaxItems=32
    /// +listType=atomic
    pub parents: Option<Vec<BackendAncestorStatus>>,
}

/// State of an XBackend with respect to one parent, as seen by one controller.
#[api]
pub struct BackendAncestorStatus {
    /// Domain-prefixed name of the controller that wrote this entry, for example
    /// example.net/gateway-controller. Other controllers leave the entry alone.
    pub controller_name: GatewayController,
    /// The object through which the backend is used and that this entry speaks about, usually a
    /// Gateway. A route is not listed here even though it holds the reference.
    pub parent_ref: ParentReference,
    /// State of the backend at this parent, keyed by condition type. Accepted tells whether the
    /// controller recognized the backend and can use it. Absent if nothing is reported yet.
    ///
    /// +listType=map
    /// +listMapKey=type
    pub conditions: Option<Vec<Condition>>,
}
