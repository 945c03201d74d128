//! The Gateway resource: listeners, TLS settings, addresses, requested infrastructure and the
//! status that the controller reports. Cluster operators write Gateways, route authors attach to
//! them, controllers reconcile them. Listener types that ListenerSet needs as well also live in
//! this module.

use std::collections::BTreeMap;

use crd_channels::{Condition, LabelSelector, ObjectMeta, api};

use crate::v1::{
    AddressType, AnnotationKey, AnnotationValue, GatewayDefaultScope, Group, HTTPExternalAuthFilter, Hostname, Kind,
    LabelKey, LabelValue, LocalObjectReference, ObjectName, ObjectReference, PortNumber, SecretObjectReference,
    SectionName,
};

/// An entry point for traffic: the cluster operator declares ports, protocols and certificates
/// here, a controller provisions a data plane for them, and routes attach to the listeners.
///
/// +kubebuilder:resource:categories=gateway-api,shortName=gtw
/// +kubebuilder:storageversion
/// +kubebuilder:subresource:status
/// +kubebuilder:printcolumn:name="Class",type=string,JSONPath=".spec.gatewayClassName"
/// +kubebuilder:printcolumn:name="Address",type=string,JSONPath=".status.addresses[*].value"
/// +kubebuilder:printcolumn:name="Programmed",type=string,JSONPath=`.status.conditions[?(@.type=="Programmed")].status`
/// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=".metadata.creationTimestamp"
/// +lens:resource:version=v1beta1,since=v1.0.0
/// +lens:resource:version=v1alpha2,since=v1.0.0
/// +conformance:feature=Gateway
#[api(group = "gateway.networking.k8s.io", version = "v1", kind = "Gateway")]
pub struct Gateway {
    /// Name, namespace, labels and annotations of the Gateway. Routes and ListenerSets find it by
    /// this name and namespace in their parent references.
    pub metadata: ObjectMeta,
    /// What the operator asks for: the class, the listeners and optional settings for addresses,
    /// TLS and infrastructure. The controller of the chosen class acts on it.
    pub spec: GatewaySpec,
    /// What the controller reports back: assigned addresses, overall conditions and the state of
    /// every listener. Until a controller responds, Accepted and Programmed are Unknown with reason
    /// Pending.
    ///
    /// +kubebuilder:default={conditions: {{type: "Accepted", status: "Unknown", reason:"Pending", message:"Waiting for controller", lastTransitionTime: "1970-01-01T00:00:00Z"},{type: "Programmed", status: "Unknown", reason:"Pending", message:"Waiting for controller", lastTransitionTime: "1970-01-01T00:00:00Z"}}}
    pub status: Option<GatewayStatus>,
}

/// Desired configuration of a Gateway, written by the cluster operator and realized by the
/// controller that its GatewayClass names.
///
/// +lens:code:name=frontendValidation,from="listeners[*].tls.frontendValidation",to=tls.frontend,since=v1.4.0,reason="listeners of one port share connections, so the Gateway has it for each port: spec.tls.frontend"
/// +lens:move:from=backendTLS,to=tls.backend,since=v1.4.0,reason="TLS of the whole Gateway is in one field"
#[api]
pub struct GatewaySpec {
    /// Name of the cluster-scoped GatewayClass whose controller handles this Gateway. With no class
    /// of that name, no controller picks the Gateway up and it stays Pending.
    pub gateway_class_name: ObjectName,
    /// Ports on which this Gateway accepts traffic, 1 to 64 entries. Names are unique, and so is
    /// each combination of port, protocol and hostname; attached ListenerSets can contribute
    /// further listeners without editing this list.
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
    /// +kubebuilder:validation:XValidation:message="Combination of port, protocol and hostname must be unique for each listener",rule="self.all(l1, self.exists_one(l2, l1.port == l2.port && l1.protocol == l2.protocol && (has(l1.hostname) && has(l2.hostname) ? l1.hostname == l2.hostname : !has(l1.hostname) && !has(l2.hostname))))"
    pub listeners: Vec<Listener>,
    /// Addresses the operator would like the Gateway to be reachable at, up to 16. When left out,
    /// the implementation assigns them. An address that is unsupported or cannot be used is
    /// reported in the conditions; those in effect are in status.
    ///
    /// +listType=atomic
    /// +kubebuilder:validation:MaxItems=16
    /// +kubebuilder:validation:XValidation:message="IPAddress values must be unique",rule="self.all(a1, a1.type == 'IPAddress' && has(a1.value) ? self.exists_one(a2, a2.type == a1.type && has(a2.value) && a2.value == a1.value) : true )"
    /// +kubebuilder:validation:XValidation:message="Hostname values must be unique",rule="self.all(a1, a1.type == 'Hostname'  && has(a1.value) ? self.exists_one(a2, a2.type == a1.type && has(a2.value) && a2.value == a1.value) : true )"
    /// +conformance:feature=GatewayStaticAddresses
    pub addresses: Option<Vec<GatewaySpecAddress>>,
    /// Labels, annotations and parameters for the objects a controller creates to run this Gateway,
    /// such as Deployments and Services. When absent, only the settings of the GatewayClass and the
    /// implementation apply.
    ///
    /// +conformance:feature=GatewayInfrastructure
    /// +conformance:feature=GatewayInfrastructurePropagation
    pub infrastructure: Option<GatewayInfrastructure>,
    /// Which ListenerSets may add listeners to this Gateway. When absent no ListenerSet can attach,
    /// so the operator opts in to let other teams bring their own ports, hostnames and
    /// certificates.
    ///
    /// +conformance:feature=ListenerSet
    pub allowed_listeners: Option<AllowedListeners>,
    /// Gateway-wide TLS settings: validation of client certificates on incoming HTTPS, and the
    /// client certificate shown to backends. When absent, clients are not asked for a certificate
    /// and none is presented upstream.
    ///
    /// +conformance:feature=GatewayFrontendClientCertificateValidation
    /// +conformance:feature=GatewayBackendClientCertificate
    pub tls: Option<GatewayTLSConfig>,
    /// Turns this Gateway into a default parent: with All, routes that opt in to default Gateways
    /// attach without naming it, as far as its listeners allow them. Absent or None means only
    /// explicit parent references count. Experimental channel only.
    ///
    /// +experimental
    /// +go:type=value
    pub default_scope: Option<GatewayDefaultScope>,
}

/// The operator's opt-in for ListenerSets: only a set that matches these rules can attach to the
/// Gateway.
#[api]
pub struct AllowedListeners {
    /// Namespaces a ListenerSet may live in to attach to this Gateway. The default is from: None,
    /// which turns every ListenerSet away.
    ///
    /// +kubebuilder:default={from: None}
    pub namespaces: Option<ListenerNamespaces>,
}

/// A choice of namespaces whose ListenerSets a Gateway admits: all, its own, those with matching
/// labels, or none.
#[api]
pub struct ListenerNamespaces {
    /// How the namespaces are chosen: All, Same for that of the Gateway, Selector for a label
    /// match, or None. Defaults to None, so ListenerSets are refused until the operator changes it.
    ///
    /// +kubebuilder:default=None
    /// +kubebuilder:validation:Enum=All;Selector;Same;None
    /// +go:type=pointer
    pub from: Option<FromNamespaces>,
    /// Label query on Namespace objects; ListenerSets in the matching ones may attach. Needed when
    /// from is Selector and ignored for any other value.
    pub selector: Option<LabelSelector>,
}

/// One port, protocol and optional hostname on which the Gateway takes traffic, with its TLS setup
/// and the rules for which routes may attach.
///
/// +experimental:kubebuilder:validation:XValidation:message="filters may only be set when protocol is HTTP or HTTPS",rule="!has(self.filters) || self.protocol in ['HTTP', 'HTTPS']"
#[api]
pub struct Listener {
    /// Identifies the listener within its Gateway and must be unique there. Route authors put it in
    /// parentRefs.sectionName to attach to this listener alone, and status entries refer to it.
    pub name: SectionName,
    /// Host this listener serves, compared with the Host header or, for TLS, the SNI; a leading
    /// wildcard label such as *.example.com is allowed. When absent, any host matches. Not
    /// permitted for TCP and UDP.
    pub hostname: Option<Hostname>,
    /// Network port from 1 to 65535 that clients connect to. Several listeners may share it as long
    /// as their protocols are compatible and hostnames tell them apart; otherwise they are marked
    /// Conflicted.
    ///
    /// +kubebuilder:validation:Minimum=1
    /// +kubebuilder:validation:Maximum=65535
    /// +conformance:feature=GatewayPort8080=8080
    pub port: PortNumber,
    /// Protocol expected from clients: HTTP, HTTPS, TLS, TCP, UDP or a domain-prefixed custom
    /// value. It determines which route kinds fit and whether tls and hostname can be set; an
    /// unknown one leaves the listener unaccepted.
    pub protocol: ProtocolType,
    /// Certificates and TLS mode of this listener. HTTPS and TLS listeners need it, HTTPS only in
    /// mode Terminate; for HTTP, TCP and UDP it must be left out.
    pub tls: Option<ListenerTLSConfig>,
    /// Limits which routes may attach, by namespace and kind. Defaults to routes in the Gateway's
    /// own namespace, of any kind that fits the protocol.
    ///
    /// +kubebuilder:default={namespaces:{from: Same}}
    pub allowed_routes: Option<AllowedRoutes>,
    /// Processing that every HTTP request on this listener passes before a route is chosen for it,
    /// such as a call to an authorization service. Only for the protocols HTTP and HTTPS; with any
    /// other one the API server refuses the Gateway. Experimental channel only.
    ///
    /// +experimental
    /// +conformance:feature=GatewayListenerFilters
    pub filters: Option<ListenerFilters>,
}

/// Filters of one listener, by what they see.
#[api]
pub struct ListenerFilters {
    /// Filters for requests, at most 16, in the order in which they are applied. Absent or empty:
    /// requests go to the routes as they came.
    ///
    /// +listType=atomic
    /// +kubebuilder:validation:MaxItems=16
    pub requests: Option<Vec<ListenerFilter>>,
}

/// One step that requests of a listener pass: a call to an authorization service, or an extension of
/// the implementation. The field that belongs to type must be set and the other one left out.
///
/// +kubebuilder:validation:XValidation:message="filter.externalAuth must be nil if the filter.type is not ExternalAuth",rule="!(has(self.externalAuth) && self.type != 'ExternalAuth')"
/// +kubebuilder:validation:XValidation:message="filter.externalAuth must be specified for ExternalAuth filter.type",rule="!(!has(self.externalAuth) && self.type == 'ExternalAuth')"
/// +kubebuilder:validation:XValidation:message="filter.extensionRef must be nil if the filter.type is not ExtensionRef",rule="!(has(self.extensionRef) && self.type != 'ExtensionRef')"
/// +kubebuilder:validation:XValidation:message="filter.extensionRef must be specified for ExtensionRef filter.type",rule="!(!has(self.extensionRef) && self.type == 'ExtensionRef')"
#[api]
pub struct ListenerFilter {
    /// Kind of the filter. A controller that cannot apply a filter does not accept the listener
    /// instead of leaving the filter out.
    pub r#type: ListenerFilterType,
    /// The authorization service that decides on each request, and what it is told. Required for type
    /// ExternalAuth.
    pub external_auth: Option<HTTPExternalAuthFilter>,
    /// An object of the implementation in the namespace of the listener, which describes a filter of
    /// its own. Required for type ExtensionRef.
    pub extension_ref: Option<LocalObjectReference>,
}

/// Kinds of filters that a listener can have.
#[api]
pub enum ListenerFilterType {
    /// A service decides on each request before any route sees it.
    ///
    /// +go:name=ListenerFilterExternalAuth
    ExternalAuth,
    /// A filter that only this implementation has.
    ///
    /// +go:name=ListenerFilterExtensionRef
    ExtensionRef,
}

/// Protocol a listener speaks with its clients. Besides the values here, an implementation can
/// accept its own domain-prefixed names such as example.com/quic.
///
/// +kubebuilder:validation:MinLength=1
/// +kubebuilder:validation:MaxLength=255
/// +kubebuilder:validation:Pattern=`^[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?$|[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/[A-Za-z0-9]+$`
#[api(open)]
pub enum ProtocolType {
    /// Unencrypted HTTP, including HTTP/2 in clear text where supported; HTTPRoute and GRPCRoute
    /// attach here.
    ///
    /// +go:name=HTTPProtocolType
    HTTP,
    /// HTTP over TLS, with TLS always terminated at the Gateway; meant for HTTPRoute and GRPCRoute.
    ///
    /// +go:name=HTTPSProtocolType
    HTTPS,
    /// Raw TLS connections selected by SNI for TLSRoute, either passed on still encrypted or
    /// terminated.
    ///
    /// +go:name=TLSProtocolType
    TLS,
    /// Plain TCP streams for TCPRoute. Support is optional for implementations.
    ///
    /// +go:name=TCPProtocolType
    TCP,
    /// UDP datagrams for UDPRoute. Support is optional for implementations.
    ///
    /// +go:name=UDPProtocolType
    UDP,
}

/// TLS identity of the Gateway when it acts as a client toward backends, for operators who want
/// mutual TLS upstream.
#[api]
pub struct GatewayBackendTLS {
    /// Secret with the certificate and key that the Gateway presents to backends over TLS. When
    /// absent, no client certificate is sent. A Secret in another namespace needs a ReferenceGrant;
    /// a bad reference shows up in ResolvedRefs.
    pub client_certificate_ref: Option<SecretObjectReference>,
}

/// TLS handling of one listener in a Gateway or ListenerSet: where TLS ends, and with which
/// certificates. Terminating requires certificates or options.
///
/// +tombstone:name=frontendValidation,removed=v1.4.0,reason="listeners of one port share connections, so the Gateway has it for each port: spec.tls.frontend"
/// +kubebuilder:validation:XValidation:message="certificateRefs or options must be specified when mode is Terminate",rule="self.mode == 'Terminate' ? size(self.certificateRefs) > 0 || size(self.options) > 0 : true"
#[api]
pub struct ListenerTLSConfig {
    /// Where the TLS session ends: Terminate, the default, decrypts at the Gateway; Passthrough
    /// forwards encrypted bytes to the backend and is possible only with protocol TLS.
    ///
    /// +kubebuilder:default=Terminate
    pub mode: Option<TLSModeType>,
    /// Server certificates for Terminate, normally Secrets of type kubernetes.io/tls; a single one
    /// works everywhere, more depends on the implementation. Other namespaces need a
    /// ReferenceGrant. Required unless options is set; unused for Passthrough.
    ///
    /// +listType=atomic
    /// +kubebuilder:validation:MaxItems=64
    pub certificate_refs: Option<Vec<SecretObjectReference>>,
    /// Implementation-specific TLS settings, for example restrictions on protocol versions, as up
    /// to 16 key-value pairs. Keys should carry a domain prefix. When absent, the implementation's
    /// own defaults apply.
    ///
    /// +kubebuilder:validation:MaxProperties=16
    pub options: Option<BTreeMap<AnnotationKey, AnnotationValue>>,
}

/// TLS settings that hold for the whole Gateway, split into the side facing clients and the side
/// facing backends.
#[api]
pub struct GatewayTLSConfig {
    /// TLS toward backends: which client certificate the Gateway shows them. When absent, it
    /// connects to TLS backends without one.
    ///
    /// +conformance:feature=GatewayBackendClientCertificate
    pub backend: Option<GatewayBackendTLS>,
    /// TLS toward clients: whether and how their certificates are checked on HTTPS listeners. When
    /// absent, clients are not asked for a certificate.
    ///
    /// +conformance:feature=GatewayFrontendClientCertificateValidation
    pub frontend: Option<FrontendTLSConfig>,
}

/// Client certificate checks for HTTPS traffic, with one base setting for the Gateway and
/// exceptions by port.
#[api]
pub struct FrontendTLSConfig {
    /// Applies to every HTTPS listener whose port has no perPort entry. Leave it empty to require
    /// client certificates only on ports listed in perPort.
    pub default: TLSConfig,
    /// Exceptions to the default setting, at most one per port and 64 in total. An entry fully
    /// replaces the default on its port; when the list is absent, the default covers every HTTPS
    /// listener.
    ///
    /// +listType=map
    /// +listMapKey=port
    /// +kubebuilder:validation:MaxItems=64
    /// +kubebuilder:validation:XValidation:message="Port for TLS configuration must be unique within the Gateway",rule="self.all(t1, self.exists_one(t2, t1.port == t2.port))"
    pub per_port: Option<Vec<TLSPortConfig>>,
}

/// Where encryption ends for connections that arrive at a listener: at the Gateway itself or at the
/// backend.
#[api]
pub enum TLSModeType {
    /// The Gateway decrypts the connection and needs a certificate or TLS options to do so.
    ///
    /// +conformance:feature=TLSRouteModeTerminate
    /// +conformance:feature=TLSRouteModeMixed
    /// +go:name=TLSModeTerminate
    Terminate,
    /// The TLS session reaches the backend untouched; the Gateway reads only the SNI to choose a
    /// route.
    ///
    /// +go:name=TLSModePassthrough
    Passthrough,
}

/// Client-facing TLS settings for a group of HTTPS listeners; today that is the validation of
/// client certificates.
#[api]
pub struct TLSConfig {
    /// Turns on mutual TLS by naming the trusted CAs for client certificates. When absent, clients
    /// connect without presenting one. Browsers may prompt their users once this is set.
    pub validation: Option<FrontendTLSValidation>,
}

/// Client certificate settings for the HTTPS listeners on one port, used there in place of the
/// Gateway's default.
#[api]
pub struct TLSPortConfig {
    /// Port from 1 to 65535 whose HTTPS listeners this entry covers. All of them share the setting,
    /// and no other perPort entry may name the same port.
    ///
    /// +kubebuilder:validation:Minimum=1
    /// +kubebuilder:validation:Maximum=65535
    pub port: PortNumber,
    /// Settings in effect on this port instead of the default. An empty object means that clients
    /// on this port are not asked for a certificate.
    pub tls: TLSConfig,
}

/// Which authorities are trusted to sign client certificates, and what happens to clients that fail
/// the check.
#[api]
pub struct FrontendTLSValidation {
    /// Objects with the CA certificates to trust, 1 to 16; a ConfigMap with key ca.crt is the
    /// portable choice. Other namespaces need a ReferenceGrant. Broken references appear in
    /// ResolvedRefs of the listeners; with none usable they are not accepted.
    ///
    /// +listType=atomic
    /// +kubebuilder:validation:MaxItems=16
    /// +kubebuilder:validation:MinItems=1
    /// +experimental:kubebuilder:validation:XValidation:message="ClusterTrustBundle references must not specify namespace",rule="self.all(r, !(r.group == 'certificates.k8s.io' && r.kind == 'ClusterTrustBundle' && has(r.namespace)))"
    pub ca_certificate_refs: Vec<ObjectReference>,
    /// Strictness of the check. AllowValidOnly, the default, rejects clients without a valid
    /// certificate; AllowInsecureFallback lets them in, and the backend must then decide on access.
    ///
    /// +kubebuilder:default=AllowValidOnly
    /// +go:type=value
    pub mode: Option<FrontendValidationModeType>,
}

/// What a listener does with clients whose certificate is missing or does not verify.
#[api]
pub enum FrontendValidationModeType {
    /// Only clients with a certificate signed by a trusted CA can connect.
    ///
    /// +go:name=AllowValidOnly
    AllowValidOnly,
    /// Clients connect even if the certificate is missing or invalid; the Gateway flags this risk
    /// in a condition.
    ///
    /// +conformance:feature=GatewayFrontendClientCertificateValidationInsecureFallback
    /// +go:name=AllowInsecureFallback
    AllowInsecureFallback,
}

/// Admission rules of a listener for routes. A route attaches only if its namespace and its kind
/// are both allowed.
#[api]
pub struct AllowedRoutes {
    /// Namespaces from which routes may attach. Defaults to from: Same, that is the namespace of
    /// the Gateway or ListenerSet that holds the listener.
    ///
    /// +kubebuilder:default={from: Same}
    pub namespaces: Option<RouteNamespaces>,
    /// Route kinds that may attach, up to 8. When absent or empty, the listener's protocol decides.
    /// Kinds that are unknown or do not fit the protocol make ResolvedRefs False on the listener.
    ///
    /// +listType=atomic
    /// +kubebuilder:validation:MaxItems=8
    pub kinds: Option<Vec<RouteGroupKind>>,
}

/// Ways to pick namespaces when admitting routes or ListenerSets. Which values are valid depends on
/// the field that uses it.
#[api(open)]
pub enum FromNamespaces {
    /// Objects in any namespace of the cluster may attach.
    ///
    /// +go:name=NamespacesFromAll
    All,
    /// Only objects in namespaces whose labels match the accompanying selector may attach.
    ///
    /// +go:name=NamespacesFromSelector
    Selector,
    /// Only objects in the same namespace as the resource holding this rule may attach.
    ///
    /// +go:name=NamespacesFromSame
    Same,
    /// Nothing may attach. Available for ListenerSets, not for routes.
    ///
    /// +go:name=NamespacesFromNone
    None,
}

/// A choice of namespaces whose routes a listener admits: all, its own, or those with matching
/// labels.
#[api]
pub struct RouteNamespaces {
    /// How the namespaces are chosen: All, Selector for a label match, or Same for the listener's
    /// own. Defaults to Same, so route authors elsewhere need the operator to open the listener.
    ///
    /// +kubebuilder:default=Same
    /// +kubebuilder:validation:Enum=All;Selector;Same
    /// +go:type=pointer
    pub from: Option<FromNamespaces>,
    /// Label query on Namespace objects; routes in the matching ones may attach. Needed when from
    /// is Selector and ignored for any other value.
    pub selector: Option<LabelSelector>,
}

/// A kind of route by API group and kind, used to allow route types on a listener and to report
/// those it supports.
#[api]
pub struct RouteGroupKind {
    /// API group of the route kind. Defaults to gateway.networking.k8s.io; set it only for route
    /// types of another API.
    ///
    /// +kubebuilder:default=gateway.networking.k8s.io
    pub group: Option<Group>,
    /// Kind of route, for example HTTPRoute or TLSRoute. On a listener it has to be one that the
    /// implementation knows and that suits the protocol.
    pub kind: Kind,
}

/// How far from a Gateway its clients may be to reach an address: an empty string where the
/// implementation decides, Cluster for the cluster alone, or a domain-prefixed value of the
/// implementation such as example.com/vpc.
///
/// +experimental:kubebuilder:validation:MaxLength=253
/// +experimental:kubebuilder:validation:XValidation:message="Routability must be empty, Cluster, or an implementation-specific prefixed path; k8s.io and its subdomains are reserved",rule="size(self) == 0 || self == 'Cluster' || (self.matches('^.*/.+$') && !format.dns1123Subdomain().validate(self.split('/')[0]).hasValue() && self.split('/')[0] != 'k8s.io' && !self.split('/')[0].endsWith('.k8s.io'))"
#[api(open)]
pub enum GatewayAddressRoutabilityType {
    /// Only clients inside the cluster can reach the address.
    ///
    /// +conformance:feature=GatewayAddressRoutabilityCluster
    /// +go:name=GatewayAddressRoutabilityCluster
    Cluster,
    /// The implementation decides who can reach the address.
    ///
    /// +go:name=GatewayAddressRoutabilityDefault
    #[serde(rename = "")]
    Default,
}

/// An address requested for a Gateway. The value must fit its type: IPv4 or IPv6 for IPAddress, a
/// DNS name for Hostname.
///
/// +kubebuilder:validation:XValidation:message=`Hostname value must be empty or contain only valid characters (matching ^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$)`,rule=`self.type == 'Hostname' ? (!has(self.value) || self.value.matches(r"""^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$""")): true`
/// +schema:oneOf={{properties: {type: {enum: {"IPAddress"}}, value: {anyOf: {{format: "ipv4"},{format: "ipv6"}}}}},{properties: {type: {not: {enum: {"IPAddress"}}}}}}
#[api]
pub struct GatewaySpecAddress {
    /// Kind of address requested: IPAddress, Hostname or a type of the implementation with a domain
    /// prefix. Defaults to IPAddress; what else works depends on the implementation.
    ///
    /// +kubebuilder:default=IPAddress
    /// +go:type=pointer
    pub r#type: Option<AddressType>,
    /// The address asked for, at most 253 characters. When absent or empty, the implementation
    /// picks one of the given type, where it supports that.
    ///
    /// +kubebuilder:validation:MaxLength=253
    /// +conformance:feature=GatewayStaticAddresses
    /// +conformance:feature=GatewayAddressEmpty=
    /// +go:type=value
    pub value: Option<String>,
    /// Who must be able to reach the address: Cluster for clients in the cluster only, empty or
    /// absent for what the implementation does by default, or a domain-prefixed value. An
    /// implementation that cannot provide it does not assign the address. Experimental channel only.
    ///
    /// +experimental
    /// +conformance:feature=GatewayAddressRoutability
    pub routability: Option<GatewayAddressRoutabilityType>,
}

/// An address at which the Gateway can actually be reached, as reported by the controller; users
/// point DNS records and clients at it.
///
/// +kubebuilder:validation:XValidation:message=`Hostname value must only contain valid characters (matching ^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$)`,rule=`self.type == 'Hostname' ? self.value.matches(r"""^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"""): true`
/// +schema:oneOf={{properties: {type: {enum: {"IPAddress"}}, value: {anyOf: {{format: "ipv4"},{format: "ipv6"}}}}},{properties: {type: {not: {enum: {"IPAddress"}}}}}}
#[api]
pub struct GatewayStatusAddress {
    /// Kind of address reported: IPAddress, Hostname or a domain-prefixed type of the
    /// implementation. Taken as IPAddress when left out by the controller.
    ///
    /// +kubebuilder:default=IPAddress
    /// +go:type=pointer
    pub r#type: Option<AddressType>,
    /// The address in use, 1 to 253 characters: an IPv4 or IPv6 address for IPAddress, a DNS name
    /// for Hostname, and free-form for other types.
    ///
    /// +kubebuilder:validation:MinLength=1
    /// +kubebuilder:validation:MaxLength=253
    pub value: String,
    /// Who can reach the address, in the values of the field of the same name in the spec. Absent if
    /// the controller does not report it. Experimental channel only.
    ///
    /// +experimental
    /// +conformance:feature=GatewayAddressRoutability
    /// +go:type=pointer
    pub routability: Option<GatewayAddressRoutabilityType>,
}

/// Observed state of a Gateway, written by its controller and read by operators to see whether
/// traffic can flow.
#[api]
pub struct GatewayStatus {
    /// Addresses bound to the Gateway right now, up to 16. They can differ from the requested ones,
    /// for instance when the implementation assigns them. Absent until at least one is known.
    ///
    /// +listType=atomic
    /// +kubebuilder:validation:MaxItems=16
    pub addresses: Option<Vec<GatewayStatusAddress>>,
    /// Overall state by condition type. Accepted tells whether the configuration is usable,
    /// Programmed whether it has been sent to the data plane; both start as Unknown with reason
    /// Pending.
    ///
    /// +listType=map
    /// +listMapKey=type
    /// +kubebuilder:validation:MaxItems=8
    /// +kubebuilder:default={{type: "Accepted", status: "Unknown", reason:"Pending", message:"Waiting for controller", lastTransitionTime: "1970-01-01T00:00:00Z"},{type: "Programmed", status: "Unknown", reason:"Pending", message:"Waiting for controller", lastTransitionTime: "1970-01-01T00:00:00Z"}}
    pub conditions: Option<Vec<Condition>>,
    /// State of each listener in spec.listeners, keyed by its name. Listeners contributed by
    /// ListenerSets are not here but in the status of their ListenerSet.
    ///
    /// +listType=map
    /// +listMapKey=name
    /// +kubebuilder:validation:MaxItems=64
    pub listeners: Option<Vec<ListenerStatus>>,
    /// Number of ListenerSets attached: they point at this Gateway, are permitted by
    /// allowedListeners and were accepted. Absent if the controller does not report it.
    ///
    /// +conformance:feature=ListenerSet
    pub attached_listener_sets: Option<i32>,
}

/// Customization of what a controller creates for one Gateway, such as its Service, Deployment or
/// cloud load balancer.
#[api]
pub struct GatewayInfrastructure {
    /// Labels, up to 8, that the controller puts on resources it creates for this Gateway. When
    /// absent it adds none beyond its own; later changes may force some implementations to recreate
    /// resources.
    ///
    /// +kubebuilder:validation:MaxProperties=8
    /// +kubebuilder:validation:XValidation:message="Label keys must be in the form of an optional DNS subdomain prefix followed by a required name segment of up to 63 characters.",rule=`self.all(key, key.matches(r"""^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$"""))`
    /// +kubebuilder:validation:XValidation:message="If specified, the label key's prefix must be a DNS subdomain not longer than 253 characters in total.",rule=`self.all(key, key.split("/")[0].size() < 253)`
    /// +conformance:feature=GatewayInfrastructure
    /// +conformance:feature=GatewayInfrastructurePropagation
    pub labels: Option<BTreeMap<LabelKey, LabelValue>>,
    /// Annotations, up to 16, that the controller puts on resources it creates for this Gateway,
    /// for instance cloud load balancer hints on a Service. When absent, it adds only its own.
    ///
    /// +kubebuilder:validation:MaxProperties=16
    /// +kubebuilder:validation:XValidation:message="Annotation keys must be in the form of an optional DNS subdomain prefix followed by a required name segment of up to 63 characters.",rule=`self.all(key, key.matches(r"""^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$"""))`
    /// +kubebuilder:validation:XValidation:message="If specified, the annotation key's prefix must be a DNS subdomain not longer than 253 characters in total.",rule=`self.all(key, key.split("/")[0].size() < 253)`
    /// +conformance:feature=GatewayInfrastructure
    /// +conformance:feature=GatewayInfrastructurePropagation
    pub annotations: Option<BTreeMap<AnnotationKey, AnnotationValue>>,
    /// Object in the Gateway's namespace with implementation-specific settings, usually refining
    /// those of the GatewayClass. When absent, only the class applies. If it is missing or
    /// unsupported, the Gateway is not accepted.
    pub parameters_ref: Option<LocalParametersReference>,
}

/// Points to a configuration object in the same namespace as the Gateway; which kinds are
/// understood is up to the implementation.
#[api]
pub struct LocalParametersReference {
    /// API group of the parameters object; the empty string means the core group, as for a
    /// ConfigMap. The documentation of the controller tells what it supports.
    pub group: Group,
    /// Kind of the parameters object, for example ConfigMap or a custom resource of the
    /// implementation. An unsupported kind keeps the Gateway from being accepted.
    pub kind: Kind,
    /// Name of the parameters object, 1 to 253 characters. It is looked up in the namespace of the
    /// Gateway; no other namespace can be named.
    ///
    /// +kubebuilder:validation:MinLength=1
    /// +kubebuilder:validation:MaxLength=253
    pub name: String,
}

/// Observed state of one Gateway listener: the route kinds it takes, how many routes are attached,
/// and its conditions.
#[api]
pub struct ListenerStatus {
    /// Name of the listener in spec.listeners that this entry describes. It is the key by which
    /// status and configuration are matched.
    pub name: SectionName,
    /// Route kinds that can really attach, after the protocol, allowedRoutes and the abilities of
    /// the implementation are considered. Invalid kinds are dropped here and reported through
    /// ResolvedRefs.
    ///
    /// +listType=atomic
    /// +kubebuilder:validation:MaxItems=8
    pub supported_kinds: Option<Vec<RouteGroupKind>>,
    /// Number of routes that refer to this listener and are admitted by allowedRoutes. It counts
    /// them even while the route or the listener has other problems, so it does not prove that
    /// traffic flows.
    pub attached_routes: i32,
    /// State of this listener by condition type, such as Accepted, Programmed, ResolvedRefs and
    /// Conflicted. Look here first when a port, hostname or certificate does not work.
    ///
    /// +listType=map
    /// +listMapKey=type
    /// +kubebuilder:validation:MaxItems=8
    pub conditions: Vec<Condition>,
}
