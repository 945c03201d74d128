//! Strings with a fixed syntax: hostnames, object and section names, label and annotation parts,
//! header names, durations. All other modules use them as field types; the API server enforces
//! their patterns and lengths before a controller sees them.

use crd_channels::api;

/// A lowercase DNS name without port, optionally led by a '*.' label that stands for one or more
/// labels. IP addresses are not meant here, even where the pattern lets them pass.
///
/// +kubebuilder:validation:MinLength=1
/// +kubebuilder:validation:MaxLength=253
/// +kubebuilder:validation:Pattern=`^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
#[api]
pub struct Hostname(pub String);

/// A lowercase DNS name without wildcard and without port. It names exactly one host, for example
/// as redirect target or as name expected in a certificate.
///
/// +kubebuilder:validation:MinLength=1
/// +kubebuilder:validation:MaxLength=253
/// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
#[api]
pub struct PreciseHostname(pub String);

/// A URI with scheme and authority, such as spiffe://cluster.local/ns/shop, at most 253 characters
/// long. Certificate checks compare it with URI names.
///
/// +kubebuilder:validation:MinLength=1
/// +kubebuilder:validation:MaxLength=253
/// +kubebuilder:validation:Pattern=`^(([^:/?#]+):)(//([^/?#]*))([^?#]*)(\?([^#]*))?(#(.*))?`
#[api]
pub struct AbsoluteURI(pub String);

/// A browser origin: http or https scheme, host and optional port, no path. The host may start with
/// '*.' or be '*'; a bare '*' stands for every origin.
///
/// +kubebuilder:validation:MinLength=1
/// +kubebuilder:validation:MaxLength=253
/// +kubebuilder:validation:Pattern=`(^\*$)|(^(http(s)?):\/\/(((\*\.)?([a-zA-Z0-9\-]+\.)*[a-zA-Z0-9-]+|\*)(:([0-9]{1,5}))?)$)`
#[api]
pub struct CORSOrigin(pub String);

/// Name of a Kubernetes API group in DNS form, such as gateway.networking.k8s.io. The empty string
/// is valid and means the core group.
///
/// +kubebuilder:validation:MaxLength=253
/// +kubebuilder:validation:Pattern=`^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
#[api]
pub struct Group(pub String);

/// Name of a Kubernetes kind such as Service or HTTPRoute: letters, digits and inner dashes,
/// starting with a letter, 63 characters at most.
///
/// +kubebuilder:validation:MinLength=1
/// +kubebuilder:validation:MaxLength=63
/// +kubebuilder:validation:Pattern=`^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$`
#[api]
pub struct Kind(pub String);

/// Name of a Kubernetes object, 1 to 253 characters. Further syntax rules depend on the kind of
/// object that is named.
///
/// +kubebuilder:validation:MinLength=1
/// +kubebuilder:validation:MaxLength=253
#[api]
pub struct ObjectName(pub String);

/// Name of a Kubernetes namespace: a DNS label of lowercase letters, digits and inner dashes, 63
/// characters at most.
///
/// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
/// +kubebuilder:validation:MinLength=1
/// +kubebuilder:validation:MaxLength=63
#[api]
pub struct Namespace(pub String);

/// Name of a part inside an object, such as a Gateway listener, a route rule or a Service port.
/// Lowercase DNS form, 253 characters at most.
///
/// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
/// +kubebuilder:validation:MinLength=1
/// +kubebuilder:validation:MaxLength=253
#[api]
pub struct SectionName(pub String);

/// Identifies a controller in the form domain/path, such as example.net/gateway-controller. The
/// slash and a path after it are mandatory; implementers pick a domain they own.
///
/// +kubebuilder:validation:MinLength=1
/// +kubebuilder:validation:MaxLength=253
/// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/[A-Za-z0-9\/\-._~%!$&'()*+,;=:]+$`
#[api]
pub struct GatewayController(pub String);

/// Key of an annotation or a vendor option: a name of at most 63 characters, optionally preceded by
/// a DNS domain and a slash.
///
/// +kubebuilder:validation:MinLength=1
/// +kubebuilder:validation:MaxLength=253
/// +kubebuilder:validation:Pattern=`^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$`
#[api]
pub struct AnnotationKey(pub String);

/// Free text that belongs to an annotation key, up to 4096 characters. It may be empty.
///
/// +kubebuilder:validation:MinLength=0
/// +kubebuilder:validation:MaxLength=4096
#[api]
pub struct AnnotationValue(pub String);

/// Key of a Kubernetes label: a name of at most 63 characters, optionally preceded by a DNS domain
/// and a slash.
///
/// +kubebuilder:validation:MinLength=1
/// +kubebuilder:validation:MaxLength=253
/// +kubebuilder:validation:Pattern=`^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$`
#[api]
pub struct LabelKey(pub String);

/// Value of a Kubernetes label: empty, or up to 63 letters, digits, dashes, underscores and dots
/// that start and end alphanumeric.
///
/// +kubebuilder:validation:MinLength=0
/// +kubebuilder:validation:MaxLength=63
/// +kubebuilder:validation:Pattern=`^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$`
#[api]
pub struct LabelValue(pub String);

/// How the value of a network address is to be read. Apart from the listed types, implementations
/// may bring domain-prefixed ones such as example.net/pool.
///
/// +kubebuilder:validation:MinLength=1
/// +kubebuilder:validation:MaxLength=253
/// +kubebuilder:validation:Pattern=`^Hostname|IPAddress|NamedAddress|[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/[A-Za-z0-9\/\-._~%!$&'()*+,;=:]+$`
#[api(open)]
pub enum AddressType {
    /// The value is a literal IPv4 or IPv6 address.
    ///
    /// +go:name=IPAddressType
    IPAddress,
    /// The value is a DNS name that clients resolve, as with cloud load balancers that hand out
    /// names instead of addresses.
    ///
    /// +go:name=HostnameAddressType
    Hostname,
    /// The value names an address that was reserved elsewhere; its meaning is known to the
    /// implementation only.
    ///
    /// +go:name=NamedAddressType
    NamedAddress,
}

/// Name of an HTTP header or gRPC metadata entry, compared without regard to case. Pseudo headers
/// that start with a colon are not valid.
///
/// +kubebuilder:validation:MinLength=1
/// +kubebuilder:validation:MaxLength=256
/// +kubebuilder:validation:Pattern=`^[A-Za-z0-9!#$%&'*+\-.^_\x60|~]+$`
#[api]
pub struct HeaderName(pub String);

/// A time span made of one to four number and unit pairs, units h, m, s and ms, such as 10s or
/// 1h30m. Fractions and signs are not valid.
///
/// +kubebuilder:validation:Pattern=`^([0-9]{1,5}(h|m|s|ms)){1,4}$`
#[api]
pub struct Duration(pub String);
