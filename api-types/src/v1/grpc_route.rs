//! GRPCRoute: routing of gRPC calls by hostname, service, method and metadata, with the filters and
//! weighted backends of each rule. Application teams write these objects; Gateway and mesh
//! controllers translate them for the data plane and report in the status.

use crd_channels::{ObjectMeta, api};

use crate::v1::{
    BackendRef, CommonRouteSpec, HTTPHeaderFilter, HTTPRequestMirrorFilter, HeaderName, Hostname, LocalObjectReference,
    RouteStatus, SectionName, SessionPersistence,
};

/// Routes gRPC calls that reach a Gateway listener or a mesh Service to backends, chosen by
/// hostname, service, method or metadata. The listener must speak HTTP/2, on HTTPS or, where
/// supported, in cleartext.
///
/// +kubebuilder:resource:categories=gateway-api
/// +kubebuilder:subresource:status
/// +kubebuilder:printcolumn:name="Hostnames",type=string,JSONPath=".spec.hostnames"
/// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=".metadata.creationTimestamp"
/// +lens:resource:version=v1alpha2,since=v1.1.0
/// +conformance:feature=GRPCRoute
#[api(group = "gateway.networking.k8s.io", version = "v1", kind = "GRPCRoute")]
pub struct GRPCRoute {
    /// Standard Kubernetes object metadata. Its name and namespace identify the route, its labels
    /// and creation time help controllers to select it and settle conflicts.
    pub metadata: ObjectMeta,
    /// What the route author asks for: parents to attach to, hostnames to serve and the rules that
    /// send calls to backends.
    pub spec: GRPCRouteSpec,
    /// What controllers report about the route, one entry per parent. Absent until a controller has
    /// looked at it; not meant to be edited by hand.
    pub status: Option<GRPCRouteStatus>,
}

/// Result of attaching a GRPCRoute to its parents, written by the controllers of those parents.
#[api]
pub struct GRPCRouteStatus {
    /// Attachment results shared by all route kinds, placed directly at this level of the object
    /// and written by controllers only.
    #[serde(flatten)]
    pub route_status: RouteStatus,
}

/// Desired behavior of a GRPCRoute: its parents, the hostnames it answers for and its routing
/// rules.
#[api]
pub struct GRPCRouteSpec {
    /// Attachment settings shared by all route kinds (parentRefs and relatives), placed directly at
    /// this level of the object.
    #[serde(flatten)]
    pub common_route_spec: CommonRouteSpec,
    /// Hosts, compared with the :authority of a call, that this route serves; a leading '*.' covers
    /// all subdomains. They must overlap with the hostname of the listener. When absent, the route
    /// takes whatever the listener accepts.
    ///
    /// +listType=atomic
    /// +kubebuilder:validation:MaxItems=16
    pub hostnames: Option<Vec<Hostname>>,
    /// Rules of the route, at most 16 with 128 matches in total. A call is handled by the rule with
    /// the most specific match; on a tie the earlier rule wins. A route without rules forwards
    /// nothing.
    ///
    /// +listType=atomic
    /// +kubebuilder:validation:MaxItems=16
    /// +kubebuilder:validation:XValidation:message="While 16 rules and 64 matches per rule are allowed, the total number of matches across all rules in a route must be less than 128",rule="(self.size() > 0 ? (has(self[0].matches) ? self[0].matches.size() : 0) : 0) + (self.size() > 1 ? (has(self[1].matches) ? self[1].matches.size() : 0) : 0) + (self.size() > 2 ? (has(self[2].matches) ? self[2].matches.size() : 0) : 0) + (self.size() > 3 ? (has(self[3].matches) ? self[3].matches.size() : 0) : 0) + (self.size() > 4 ? (has(self[4].matches) ? self[4].matches.size() : 0) : 0) + (self.size() > 5 ? (has(self[5].matches) ? self[5].matches.size() : 0) : 0) + (self.size() > 6 ? (has(self[6].matches) ? self[6].matches.size() : 0) : 0) + (self.size() > 7 ? (has(self[7].matches) ? self[7].matches.size() : 0) : 0) + (self.size() > 8 ? (has(self[8].matches) ? self[8].matches.size() : 0) : 0) + (self.size() > 9 ? (has(self[9].matches) ? self[9].matches.size() : 0) : 0) + (self.size() > 10 ? (has(self[10].matches) ? self[10].matches.size() : 0) : 0) + (self.size() > 11 ? (has(self[11].matches) ? self[11].matches.size() : 0) : 0) + (self.size() > 12 ? (has(self[12].matches) ? self[12].matches.size() : 0) : 0) + (self.size() > 13 ? (has(self[13].matches) ? self[13].matches.size() : 0) : 0) + (self.size() > 14 ? (has(self[14].matches) ? self[14].matches.size() : 0) : 0) + (self.size() > 15 ? (has(self[15].matches) ? self[15].matches.size() : 0) : 0) <= 128"
    /// +kubebuilder:validation:XValidation:message="Rule name must be unique within the route",rule="self.all(l1, !has(l1.name) || self.exists_one(l2, has(l2.name) && l1.name == l2.name))"
    pub rules: Option<Vec<GRPCRouteRule>>,
}

/// Pairs conditions on a gRPC call with what happens to it: filters to run and backends that share
/// the traffic.
#[api]
pub struct GRPCRouteRule {
    /// Optional label of the rule, unique within the route, so that policies and status messages
    /// can address it. Without it the rule works the same but cannot be targeted.
    ///
    /// +conformance:feature=GRPCRouteNamedRouteRule
    pub name: Option<SectionName>,
    /// Alternatives, at most 64: the rule applies as soon as one entry fits the call. When absent,
    /// the rule accepts every gRPC call that reaches the route.
    ///
    /// +listType=atomic
    /// +kubebuilder:validation:MaxItems=64
    pub matches: Option<Vec<GRPCRouteMatch>>,
    /// Processing steps for every call that matches this rule, before a backend is chosen. Header
    /// modifiers may appear once each. If a filter cannot be resolved or is unsupported, calls fail
    /// instead of skipping it.
    ///
    /// +listType=atomic
    /// +kubebuilder:validation:MaxItems=16
    /// +kubebuilder:validation:XValidation:message="RequestHeaderModifier filter cannot be repeated",rule="self.filter(f, f.type == 'RequestHeaderModifier').size() <= 1"
    /// +kubebuilder:validation:XValidation:message="ResponseHeaderModifier filter cannot be repeated",rule="self.filter(f, f.type == 'ResponseHeaderModifier').size() <= 1"
    pub filters: Option<Vec<GRPCRouteFilter>>,
    /// Backends among which matching calls are shared by weight, at most 16. If there is none, or
    /// the one chosen is invalid, callers receive the gRPC status UNAVAILABLE.
    ///
    /// +listType=atomic
    /// +kubebuilder:validation:MaxItems=16
    pub backend_refs: Option<Vec<GRPCBackendRef>>,
    /// Keeps calls of one client session on the same backend endpoint. When absent, this rule asks
    /// for no stickiness and each call is balanced on its own. Not every implementation offers it.
    /// Experimental channel only.
    ///
    /// +experimental
    pub session_persistence: Option<SessionPersistence>,
}

/// Conditions on a single call. Method and all headers given must fit together; an empty match
/// accepts every call.
#[api]
pub struct GRPCRouteMatch {
    /// Condition on the gRPC service and method called. When absent, calls to any service and
    /// method qualify.
    pub method: Option<GRPCMethodMatch>,
    /// Conditions on request metadata, at most 16 and one per name, all of which must hold. When
    /// absent, metadata plays no role.
    ///
    /// +listType=map
    /// +listMapKey=name
    /// +kubebuilder:validation:MaxItems=16
    pub headers: Option<Vec<GRPCHeaderMatch>>,
}

/// Selects calls by service, by method or by both; at least one of them has to be given. Comparison
/// is case-sensitive.
///
/// +kubebuilder:validation:XValidation:message="One or both of 'service' or 'method' must be specified",rule="has(self.type) ? has(self.service) || has(self.method) : true"
/// +kubebuilder:validation:XValidation:message=`service must only contain valid characters (matching ^(?i)\.?[a-z_][a-z_0-9]*(\.[a-z_][a-z_0-9]*)*$)`,rule=`(!has(self.type) || self.type == 'Exact') && has(self.service) ? self.service.matches(r"""^(?i)\.?[a-z_][a-z_0-9]*(\.[a-z_][a-z_0-9]*)*$"""): true`
/// +kubebuilder:validation:XValidation:message="method must only contain valid characters (matching ^[A-Za-z_][A-Za-z_0-9]*$)",rule=`(!has(self.type) || self.type == 'Exact') && has(self.method) ? self.method.matches(r"""^[A-Za-z_][A-Za-z_0-9]*$"""): true`
#[api]
pub struct GRPCMethodMatch {
    /// How service and method are compared: Exact, the default, or RegularExpression, which only
    /// some implementations offer.
    ///
    /// +kubebuilder:default=Exact
    pub r#type: Option<GRPCMethodMatchType>,
    /// Fully qualified service name, such as shop.v1.Cart, or a pattern for it. Absent or empty
    /// admits every service, which is useful only if method is set.
    ///
    /// +kubebuilder:validation:MaxLength=1024
    pub service: Option<String>,
    /// Method name without the service, such as AddItem, or a pattern for it. Absent or empty
    /// admits every method of the service.
    ///
    /// +kubebuilder:validation:MaxLength=1024
    pub method: Option<String>,
}

/// Way of comparing the service and method of a call with the values in a match.
#[api]
pub enum GRPCMethodMatchType {
    /// Names must be equal, including case. Every implementation of GRPCRoute offers this.
    ///
    /// +go:name=GRPCMethodMatchExact
    Exact,
    /// Values are regular expressions in the dialect of the implementation, so portability is
    /// limited.
    ///
    /// +go:name=GRPCMethodMatchRegularExpression
    RegularExpression,
}

/// Condition on one metadata entry of a call: its name, the expected value and the way the two
/// values are compared.
#[api]
pub struct GRPCHeaderMatch {
    /// How the value is compared: Exact, the default, or RegularExpression, which only some
    /// implementations offer.
    ///
    /// +kubebuilder:default=Exact
    pub r#type: Option<GRPCHeaderMatchType>,
    /// Metadata key to look at, in any letter case. If names differ only in case, the first entry
    /// counts and later ones are ignored.
    pub name: GRPCHeaderName,
    /// Value that the metadata entry must equal, or the regular expression it must fit, up to 4096
    /// characters. The value is mandatory; there is no test for mere presence.
    ///
    /// +kubebuilder:validation:MinLength=1
    /// +kubebuilder:validation:MaxLength=4096
    pub value: String,
}

/// Way of comparing a metadata value of a call with the value in a header match.
#[api]
pub enum GRPCHeaderMatchType {
    /// The metadata value must equal the given one, including case.
    ///
    /// +go:name=GRPCHeaderMatchExact
    Exact,
    /// The given value is a regular expression in the dialect of the implementation.
    ///
    /// +go:name=GRPCHeaderMatchRegularExpression
    RegularExpression,
}

/// Key of a gRPC metadata entry, compared without regard to case. Pseudo headers such as :path
/// cannot be named.
#[api]
pub struct GRPCHeaderName(pub HeaderName);

/// Kinds of processing that a filter can do on gRPC calls. It also tells which configuration field
/// of the filter has to be filled in.
#[api]
pub enum GRPCRouteFilterType {
    /// Changes response metadata on the way back to the caller. Not offered by every
    /// implementation.
    ///
    /// +go:name=GRPCRouteFilterResponseHeaderModifier
    ResponseHeaderModifier,
    /// Changes request metadata before the call goes to a backend. Every implementation of
    /// GRPCRoute offers this.
    ///
    /// +conformance:feature=GRPCRouteRequestHeaderModifier
    /// +conformance:feature=GRPCRoute
    /// +go:name=GRPCRouteFilterRequestHeaderModifier
    RequestHeaderModifier,
    /// Sends copies of calls to a further backend and drops its answers. Not offered by every
    /// implementation.
    ///
    /// +go:name=GRPCRouteFilterRequestMirror
    RequestMirror,
    /// Hands the call to a custom filter of the implementation, configured by an object of its own
    /// kind.
    ///
    /// +go:name=GRPCRouteFilterExtensionRef
    ExtensionRef,
}

/// One processing step for gRPC calls. Set the field that belongs to the type and leave the other
/// ones out, or validation fails.
///
/// +kubebuilder:validation:XValidation:message="filter.requestHeaderModifier must be nil if the filter.type is not RequestHeaderModifier",rule="!(has(self.requestHeaderModifier) && self.type != 'RequestHeaderModifier')"
/// +kubebuilder:validation:XValidation:message="filter.requestHeaderModifier must be specified for RequestHeaderModifier filter.type",rule="!(!has(self.requestHeaderModifier) && self.type == 'RequestHeaderModifier')"
/// +kubebuilder:validation:XValidation:message="filter.responseHeaderModifier must be nil if the filter.type is not ResponseHeaderModifier",rule="!(has(self.responseHeaderModifier) && self.type != 'ResponseHeaderModifier')"
/// +kubebuilder:validation:XValidation:message="filter.responseHeaderModifier must be specified for ResponseHeaderModifier filter.type",rule="!(!has(self.responseHeaderModifier) && self.type == 'ResponseHeaderModifier')"
/// +kubebuilder:validation:XValidation:message="filter.requestMirror must be nil if the filter.type is not RequestMirror",rule="!(has(self.requestMirror) && self.type != 'RequestMirror')"
/// +kubebuilder:validation:XValidation:message="filter.requestMirror must be specified for RequestMirror filter.type",rule="!(!has(self.requestMirror) && self.type == 'RequestMirror')"
/// +kubebuilder:validation:XValidation:message="filter.extensionRef must be nil if the filter.type is not ExtensionRef",rule="!(has(self.extensionRef) && self.type != 'ExtensionRef')"
/// +kubebuilder:validation:XValidation:message="filter.extensionRef must be specified for ExtensionRef filter.type",rule="!(!has(self.extensionRef) && self.type == 'ExtensionRef')"
#[api]
pub struct GRPCRouteFilter {
    /// Selects what the filter does and thereby which one of the sibling fields must be present. A
    /// type that the controller does not support is reported in the status and never skipped
    /// silently.
    pub r#type: GRPCRouteFilterType,
    /// Metadata to set, add or remove on the request. Required for type RequestHeaderModifier and
    /// not allowed for any other type.
    ///
    /// +conformance:feature=GRPCRouteRequestHeaderModifier
    /// +conformance:feature=GRPCRoute
    pub request_header_modifier: Option<HTTPHeaderFilter>,
    /// Metadata to set, add or remove on the response. Required for type ResponseHeaderModifier and
    /// not allowed for any other type.
    pub response_header_modifier: Option<HTTPHeaderFilter>,
    /// Backend that receives copies, and the share of calls to copy: all of them unless percent or
    /// fraction is set. Required for type RequestMirror and not allowed for any other type.
    ///
    /// +kubebuilder:validation:XValidation:message="Only one of percent or fraction may be specified in HTTPRequestMirrorFilter",rule="!(has(self.percent) && has(self.fraction))"
    pub request_mirror: Option<HTTPRequestMirrorFilter>,
    /// Object in the namespace of the route that configures a custom filter. Required for type
    /// ExtensionRef and not allowed for any other type.
    pub extension_ref: Option<LocalObjectReference>,
}

/// A weighted backend of a GRPCRoute rule, with filters that run only for calls sent to this
/// backend.
#[api]
pub struct GRPCBackendRef {
    /// The backend object, its port and its weight, placed directly at this level next to the
    /// filters.
    #[serde(flatten)]
    pub backend_ref: BackendRef,
    /// Processing steps for calls that go to this backend, apart from those of the rule. When
    /// absent, only the filters of the rule run. Fewer implementations support filters here than on
    /// rules.
    ///
    /// +listType=atomic
    /// +kubebuilder:validation:MaxItems=16
    /// +kubebuilder:validation:XValidation:message="RequestHeaderModifier filter cannot be repeated",rule="self.filter(f, f.type == 'RequestHeaderModifier').size() <= 1"
    /// +kubebuilder:validation:XValidation:message="ResponseHeaderModifier filter cannot be repeated",rule="self.filter(f, f.type == 'ResponseHeaderModifier').size() <= 1"
    pub filters: Option<Vec<GRPCRouteFilter>>,
}
