//! The BackendTLSPolicy resource: how a Gateway opens TLS connections to backends and which server
//! certificates it trusts. Application owners write it next to their Services; controllers read it
//! and report per Gateway. XBackend reuses the validation types.

use std::collections::BTreeMap;

use crd_channels::{ObjectMeta, api};

use crate::v1::{
    AbsoluteURI, AnnotationKey, AnnotationValue, Hostname, LocalObjectReference,
    LocalPolicyTargetReferenceWithSectionName, PolicyStatus, PreciseHostname,
};

/// Makes Gateways speak TLS to a Service or other backend and tells them how to check its
/// certificate. It sits in the namespace of the backend and covers every route that forwards there.
///
/// +kubebuilder:resource:categories=gateway-api,shortName=btlspolicy
/// +kubebuilder:storageversion
/// +kubebuilder:subresource:status
/// +kubebuilder:metadata:labels="gateway.networking.k8s.io/policy=Direct"
/// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=".metadata.creationTimestamp"
/// +lens:resource:version=v1alpha2,since=v1.1.0
/// +lens:resource:version=v1alpha3,since=v1.4.0
/// +conformance:feature=BackendTLSPolicy
#[api(group = "gateway.networking.k8s.io", version = "v1", kind = "BackendTLSPolicy")]
pub struct BackendTLSPolicy {
    /// Name, namespace, labels and annotations of the policy. It can only target backends in its
    /// own namespace; creation time, then name, settle conflicts between policies.
    pub metadata: ObjectMeta,
    /// Which backends are contacted over TLS and how their certificates are verified. Usually
    /// written by the owner of the backend, who knows its certificate.
    pub spec: BackendTLSPolicySpec,
    /// What controllers report back, one entry for each Gateway or other ancestor through which the
    /// policy takes effect. Absent until a controller has looked at it.
    pub status: Option<PolicyStatus>,
}

/// Desired configuration of a BackendTLSPolicy: its targets, the checks on the server certificate
/// and optional extras of the implementation.
///
/// +lens:drop:path=targetRefs[*].namespace,since=v1.1.0,reason="targets are in the namespace of their policy"
/// +lens:rename:from=validation.caCertRefs,to=validation.caCertificateRefs,since=v1.1.0
/// +lens:rename:from=validation.wellKnownCACerts,to=validation.wellKnownCACertificates,since=v1.1.0
#[api]
pub struct BackendTLSPolicySpec {
    /// Backends to contact over TLS, 1 to 16, in the namespace of the policy; Service is the
    /// portable kind. To list one object repeatedly, give each entry its own sectionName. If
    /// several policies claim the same target, the oldest wins and the others become Conflicted.
    ///
    /// +listType=atomic
    /// +kubebuilder:validation:MinItems=1
    /// +kubebuilder:validation:MaxItems=16
    /// +kubebuilder:validation:XValidation:message="sectionName must be specified when targetRefs includes 2 or more references to the same target",rule="self.all(p1, self.all(p2, p1.group == p2.group && p1.kind == p2.kind && p1.name == p2.name ? ((!has(p1.sectionName) || p1.sectionName == '') == (!has(p2.sectionName) || p2.sectionName == '')) : true))"
    /// +kubebuilder:validation:XValidation:message="sectionName must be unique when targetRefs includes 2 or more references to the same target",rule="self.all(p1, self.exists_one(p2, p1.group == p2.group && p1.kind == p2.kind && p1.name == p2.name && (((!has(p1.sectionName) || p1.sectionName == '') && (!has(p2.sectionName) || p2.sectionName == '')) || (has(p1.sectionName) && has(p2.sectionName) && p1.sectionName == p2.sectionName))))"
    /// +lens:wrapInList:from=targetRef,since=v1.1.0,reason="a policy can have several targets"
    pub target_refs: Vec<LocalPolicyTargetReferenceWithSectionName>,
    /// How the Gateway verifies the server: trusted CA certificates, expected hostname and, if
    /// wanted, alternative names. A connection whose certificate fails the checks is not used for
    /// requests.
    ///
    /// +lens:rename:from=tls,since=v1.1.0,reason="the field validates certificates and configures no other part of TLS"
    pub validation: BackendTLSPolicyValidation,
    /// Extra TLS settings particular to an implementation, such as a minimum version, as up to 16
    /// pairs with domain-prefixed keys. Keys and values have no portable meaning. When absent, the
    /// implementation keeps its own choices.
    ///
    /// +kubebuilder:validation:MaxProperties=16
    pub options: Option<BTreeMap<AnnotationKey, AnnotationValue>>,
}

/// Checks applied to the certificate that a backend presents. Exactly one source of trust is
/// needed: caCertificateRefs or wellKnownCACertificates.
///
/// +standard:kubebuilder:validation:XValidation:message="must not contain both CACertificateRefs and WellKnownCACertificates",rule=`!(has(self.caCertificateRefs) && size(self.caCertificateRefs) > 0 && has(self.wellKnownCACertificates) && self.wellKnownCACertificates != "")`
/// +standard:kubebuilder:validation:XValidation:message="must specify either CACertificateRefs or WellKnownCACertificates",rule=`(has(self.caCertificateRefs) && size(self.caCertificateRefs) > 0 || has(self.wellKnownCACertificates) && self.wellKnownCACertificates != "")`
/// +experimental:kubebuilder:validation:ExactlyOneOf=caCertificateRefs;wellKnownCACertificates
#[api]
pub struct BackendTLSPolicyValidation {
    /// Up to 8 objects in the same namespace with PEM bundles of trusted CAs. One ConfigMap with
    /// the key ca.crt works everywhere; more entries or other kinds depend on the implementation.
    /// Excludes wellKnownCACertificates. Bad references make ResolvedRefs False.
    ///
    /// +listType=atomic
    /// +experimental:kubebuilder:validation:MinItems=1
    /// +kubebuilder:validation:MaxItems=8
    pub ca_certificate_refs: Option<Vec<LocalObjectReference>>,
    /// Selects a predefined set of trusted CAs: System or a domain-prefixed value of the
    /// implementation. Cannot be combined with caCertificateRefs, and is required without them.
    /// Unsupported values keep the policy from being accepted.
    ///
    /// +go:type=pointer
    #[serde(rename = "wellKnownCACertificates")]
    pub well_known_ca_certificates: Option<WellKnownCACertificatesType>,
    /// Name without wildcard that the Gateway sends as SNI to the backend. The certificate has to
    /// be valid for it too, unless subjectAltNames is set; then this name serves for SNI only.
    pub hostname: PreciseHostname,
    /// Up to 5 names, at least one of which the certificate must carry as subject alternative name.
    /// When absent or empty, it must match hostname instead. Useful for identities such as SPIFFE
    /// IDs; not every implementation supports it.
    ///
    /// +listType=atomic
    /// +kubebuilder:validation:MaxItems=5
    /// +conformance:feature=BackendTLSPolicySANValidation
    pub subject_alt_names: Option<Vec<SubjectAltName>>,
}

/// One acceptable identity of the server, either a DNS name or a URI; the field that belongs to
/// type must be set and the other one left out.
///
/// +kubebuilder:validation:XValidation:message="SubjectAltName element must contain Hostname, if Type is set to Hostname",rule=`!(self.type == "Hostname" && (!has(self.hostname) || self.hostname == ""))`
/// +kubebuilder:validation:XValidation:message="SubjectAltName element must not contain Hostname, if Type is not set to Hostname",rule=`!(self.type != "Hostname" && has(self.hostname) && self.hostname != "")`
/// +kubebuilder:validation:XValidation:message="SubjectAltName element must contain URI, if Type is set to URI",rule=`!(self.type == "URI" && (!has(self.uri) || self.uri == ""))`
/// +kubebuilder:validation:XValidation:message="SubjectAltName element must not contain URI, if Type is not set to URI",rule=`!(self.type != "URI" && has(self.uri) && self.uri != "")`
#[api]
pub struct SubjectAltName {
    /// Chooses the form of the name: Hostname for a DNS name, URI for an absolute URI. The field of
    /// that form becomes mandatory, the other is rejected.
    pub r#type: SubjectAltNameType,
    /// DNS name to look for among the alternative names of the certificate; its first label may be
    /// a wildcard. Required for type Hostname and refused for type URI.
    ///
    /// +go:type=value
    pub hostname: Option<Hostname>,
    /// Absolute URI, including its scheme, to look for in the certificate, for example
    /// spiffe://example.com/ns/shop/sa/cart. Required for type URI and refused for type Hostname.
    ///
    /// +go:type=value
    pub uri: Option<AbsoluteURI>,
}

/// Name of a ready-made trust store for backend certificates. Apart from System, implementations
/// may offer more under domain-prefixed names such as example.com/corporate.
///
/// +kubebuilder:validation:MinLength=1
/// +kubebuilder:validation:MaxLength=253
/// +kubebuilder:validation:Pattern=`^(System|([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]))$`
#[api(open)]
pub enum WellKnownCACertificatesType {
    /// The CA certificates that the data plane's system or the implementation trusts by default,
    /// fit for publicly issued certificates.
    ///
    /// +go:name=WellKnownCACertificatesSystem
    System,
}

/// The two forms in which the identity of a backend can be given: DNS name or URI.
#[api]
pub enum SubjectAltNameType {
    /// A DNS entry of the certificate is compared with the field hostname.
    ///
    /// +go:name=HostnameSubjectAltNameType
    Hostname,
    /// A URI entry of the certificate is compared with the field uri.
    ///
    /// +go:name=URISubjectAltNameType
    URI,
}
