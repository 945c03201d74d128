//! HTTPRoute with everything nested in it: matches, filters, backends, timeouts and retries of HTTP
//! requests. Route authors write these objects; controllers turn them into proxy configuration. The
//! header and mirror filters are used by GRPCRoute as well.

use crd_channels::{ObjectMeta, api};

use crate::v1::{
    BackendObjectReference, BackendRef, CORSOrigin, CommonRouteSpec, Duration, Fraction, HeaderName, Hostname,
    LocalObjectReference, PortNumber, PreciseHostname, RouteStatus, SectionName, SessionPersistence,
};

/// Sends HTTP requests from a Gateway listener, or another parent, to backends picked by host,
/// path, headers, query and method. Filters can change, redirect or mirror requests. Its status
/// tells whether it took effect.
///
/// +kubebuilder:resource:categories=gateway-api
/// +kubebuilder:storageversion
/// +kubebuilder:subresource:status
/// +kubebuilder:printcolumn:name="Hostnames",type=string,JSONPath=".spec.hostnames"
/// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=".metadata.creationTimestamp"
/// +lens:resource:version=v1beta1,since=v1.0.0
/// +lens:resource:version=v1alpha2,since=v1.0.0
/// +conformance:feature=HTTPRoute
#[api(group = "gateway.networking.k8s.io", version = "v1", kind = "HTTPRoute")]
pub struct HTTPRoute {
    /// Usual Kubernetes object metadata. Name and namespace identify the route; its creation time
    /// settles ties: of two routes with equally specific matches the older one wins, and between
    /// routes of the same age the first by namespace and name.
    pub metadata: ObjectMeta,
    /// Wanted routing, written by the route author: which parents to attach to, which hosts to
    /// serve, and how requests are matched and handled. It has no effect at a parent until that
    /// parent accepts the route, which the Accepted condition in status shows.
    pub spec: HTTPRouteSpec,
    /// Outcome for each parent, written by controllers only: whether the route was accepted there
    /// and whether its references could be resolved. Absent, or without entries in parents, no
    /// controller has taken up the route; then check parentRefs and that a controller is running.
    pub status: Option<HTTPRouteStatus>,
}

/// What the route author asks for: the parents to attach to, the hosts to serve and the rules that
/// handle their requests. Every part may be left out, but a route without any parent receives no
/// traffic.
#[api]
pub struct HTTPRouteSpec {
    /// Fields that every kind of route has, above all the parents to attach to. They appear
    /// directly under spec, next to hostnames and rules. With no parent named there, the route is
    /// stored but serves nobody, unless it uses default Gateways.
    #[serde(flatten)]
    pub common_route_spec: CommonRouteSpec,
    /// Hosts this route serves, compared with the Host header without its port; a first label '*.'
    /// covers all subdomains, IPs do not work. One must overlap with the listener's hostname, else
    /// Accepted is False (NoMatchingListenerHostname). Absent or empty: every host that the
    /// listener takes.
    ///
    /// +listType=atomic
    /// +kubebuilder:validation:MaxItems=16
    pub hostnames: Option<Vec<Hostname>>,
    /// What to match and what to do then. If several rules fit a request, the most specific match
    /// wins and ties go to the earlier rule; what fits no rule of any route gets 404. An empty list
    /// is refused. Absent: one rule with the path prefix '/', which has no backend and thus answers
    /// 500.
    ///
    /// +listType=atomic
    /// +kubebuilder:validation:MinItems=1
    /// +kubebuilder:validation:MaxItems=16
    /// +kubebuilder:default={{matches: {{path: {type: "PathPrefix", value: "/"}}}}}
    /// +kubebuilder:validation:XValidation:message="Rule name must be unique within the route",rule="self.all(l1, !has(l1.name) || self.exists_one(l2, has(l2.name) && l1.name == l2.name))"
    /// +kubebuilder:validation:XValidation:message="While 16 rules and 64 matches per rule are allowed, the total number of matches across all rules in a route must be less than 128",rule="(self.size() > 0 ? self[0].matches.size() : 0) + (self.size() > 1 ? self[1].matches.size() : 0) + (self.size() > 2 ? self[2].matches.size() : 0) + (self.size() > 3 ? self[3].matches.size() : 0) + (self.size() > 4 ? self[4].matches.size() : 0) + (self.size() > 5 ? self[5].matches.size() : 0) + (self.size() > 6 ? self[6].matches.size() : 0) + (self.size() > 7 ? self[7].matches.size() : 0) + (self.size() > 8 ? self[8].matches.size() : 0) + (self.size() > 9 ? self[9].matches.size() : 0) + (self.size() > 10 ? self[10].matches.size() : 0) + (self.size() > 11 ? self[11].matches.size() : 0) + (self.size() > 12 ? self[12].matches.size() : 0) + (self.size() > 13 ? self[13].matches.size() : 0) + (self.size() > 14 ? self[14].matches.size() : 0) + (self.size() > 15 ? self[15].matches.size() : 0) <= 128"
    pub rules: Option<Vec<HTTPRouteRule>>,
}

/// Handles the requests that fit any of its matches: runs its filters, then forwards to one of its
/// backends or answers directly. The API server refuses routes with more than 16 rules or more than
/// 128 matches in total.
///
/// +kubebuilder:validation:XValidation:message="RequestRedirect filter must not be used together with backendRefs",rule="(has(self.backendRefs) && size(self.backendRefs) > 0) ? (!has(self.filters) || self.filters.all(f, !has(f.requestRedirect))): true"
/// +kubebuilder:validation:XValidation:message="When using RequestRedirect filter with path.replacePrefixMatch, exactly one PathPrefix match must be specified",rule="(has(self.filters) && self.filters.exists_one(f, has(f.requestRedirect) && has(f.requestRedirect.path) && f.requestRedirect.path.type == 'ReplacePrefixMatch' && has(f.requestRedirect.path.replacePrefixMatch))) ? ((size(self.matches) != 1 || !has(self.matches[0].path) || self.matches[0].path.type != 'PathPrefix') ? false : true) : true"
/// +kubebuilder:validation:XValidation:message="When using URLRewrite filter with path.replacePrefixMatch, exactly one PathPrefix match must be specified",rule="(has(self.filters) && self.filters.exists_one(f, has(f.urlRewrite) && has(f.urlRewrite.path) && f.urlRewrite.path.type == 'ReplacePrefixMatch' && has(f.urlRewrite.path.replacePrefixMatch))) ? ((size(self.matches) != 1 || !has(self.matches[0].path) || self.matches[0].path.type != 'PathPrefix') ? false : true) : true"
/// +kubebuilder:validation:XValidation:message="Within backendRefs, when using RequestRedirect filter with path.replacePrefixMatch, exactly one PathPrefix match must be specified",rule="(has(self.backendRefs) && self.backendRefs.exists_one(b, (has(b.filters) && b.filters.exists_one(f, has(f.requestRedirect) && has(f.requestRedirect.path) && f.requestRedirect.path.type == 'ReplacePrefixMatch' && has(f.requestRedirect.path.replacePrefixMatch))) )) ? ((size(self.matches) != 1 || !has(self.matches[0].path) || self.matches[0].path.type != 'PathPrefix') ? false : true) : true"
/// +kubebuilder:validation:XValidation:message="Within backendRefs, When using URLRewrite filter with path.replacePrefixMatch, exactly one PathPrefix match must be specified",rule="(has(self.backendRefs) && self.backendRefs.exists_one(b, (has(b.filters) && b.filters.exists_one(f, has(f.urlRewrite) && has(f.urlRewrite.path) && f.urlRewrite.path.type == 'ReplacePrefixMatch' && has(f.urlRewrite.path.replacePrefixMatch))) )) ? ((size(self.matches) != 1 || !has(self.matches[0].path) || self.matches[0].path.type != 'PathPrefix') ? false : true) : true"
#[api]
pub struct HTTPRouteRule {
    /// Label for this rule, by which policies can target it and status messages can point at it.
    /// Names must differ within the route, which the API server checks in the experimental channel
    /// only. Absent: the rule works the same but cannot be addressed on its own. Extended support.
    ///
    /// +conformance:feature=HTTPRouteNamedRouteRule
    pub name: Option<SectionName>,
    /// Alternatives: one fitting entry is enough. Among all routes for a host the most specific
    /// match wins: exact path, longest prefix, method, most headers, most query parameters; then
    /// the older route, then the first by namespace and name. Default: path prefix '/', that is
    /// every request.
    ///
    /// +listType=atomic
    /// +kubebuilder:validation:MaxItems=64
    /// +kubebuilder:default={{path:{ type: "PathPrefix", value: "/"}}}
    pub matches: Option<Vec<HTTPRouteMatch>>,
    /// Processing steps for requests of this rule, run in list order as far as the implementation
    /// can. Most types may occur only once, and a redirect excludes a URL rewrite. Combinations
    /// that the controller cannot do may set Accepted to False (IncompatibleFilters). Absent or
    /// empty: requests pass unchanged.
    ///
    /// +listType=atomic
    /// +kubebuilder:validation:MaxItems=16
    /// +kubebuilder:validation:XValidation:message="May specify either httpRouteFilterRequestRedirect or httpRouteFilterRequestRewrite, but not both",rule="!(self.exists(f, f.type == 'RequestRedirect') && self.exists(f, f.type == 'URLRewrite'))"
    /// +kubebuilder:validation:XValidation:message="CORS filter cannot be repeated",rule="self.filter(f, f.type == 'CORS').size() <= 1"
    /// +kubebuilder:validation:XValidation:message="RequestHeaderModifier filter cannot be repeated",rule="self.filter(f, f.type == 'RequestHeaderModifier').size() <= 1"
    /// +kubebuilder:validation:XValidation:message="ResponseHeaderModifier filter cannot be repeated",rule="self.filter(f, f.type == 'ResponseHeaderModifier').size() <= 1"
    /// +kubebuilder:validation:XValidation:message="RequestRedirect filter cannot be repeated",rule="self.filter(f, f.type == 'RequestRedirect').size() <= 1"
    /// +kubebuilder:validation:XValidation:message="URLRewrite filter cannot be repeated",rule="self.filter(f, f.type == 'URLRewrite').size() <= 1"
    pub filters: Option<Vec<HTTPRouteFilter>>,
    /// Where requests go, split by weight. The share of an invalid backend gets status 500 and
    /// ResolvedRefs turns False; one without ready endpoints mostly leads to 503. Absent or empty:
    /// 500 for every request unless a filter answers it. Not allowed next to a RequestRedirect
    /// filter.
    ///
    /// +listType=atomic
    /// +kubebuilder:validation:MaxItems=16
    pub backend_refs: Option<Vec<HTTPBackendRef>>,
    /// Time limits for requests of this rule; when one runs out, the client gets an error, as a
    /// rule 504. Absent: the implementation's own limits apply, which may be none. Extended
    /// support, so make sure that your controller honours it before relying on it.
    ///
    /// +conformance:feature=HTTPRouteRequestTimeout
    /// +conformance:feature=HTTPRouteBackendTimeout
    pub timeouts: Option<HTTPRouteTimeouts>,
    /// When and how often a failed backend request is tried again. Absent: the implementation
    /// decides, often no retry at all. Repeats add load to a backend that struggles already, and
    /// its work may be done twice. Extended support.
    ///
    /// +conformance:feature=HTTPRouteRetry
    /// +conformance:feature=HTTPRouteRetryBackendTimeout
    /// +conformance:feature=HTTPRouteRetryConnectionError
    pub retry: Option<HTTPRouteRetry>,
    /// Keeps the requests of one client session on the same backend, even against the weights. It
    /// wins over an XBackendTrafficPolicy for that backend. Absent: such a policy applies if there
    /// is one, otherwise each request is balanced independently. Experimental channel only,
    /// extended support.
    ///
    /// +experimental
    pub session_persistence: Option<SessionPersistence>,
}

/// Time limits of a rule, as GEP-2257 durations such as 500ms, 10s or 1m30s; other forms are
/// refused. Zero (0s) switches a limit off, or raises it to the maximum where that is impossible.
///
/// +kubebuilder:validation:XValidation:message="backendRequest timeout cannot be longer than request timeout",rule="!(has(self.request) && has(self.backendRequest) && duration(self.request) != duration('0s') && duration(self.backendRequest) > duration(self.request))"
#[api]
pub struct HTTPRouteTimeouts {
    /// Longest time for the whole exchange with the client, retries included; past it the client
    /// gets a timeout error, as a rule 504. The clock may start only after the request was fully
    /// received. 0s switches the limit off. Absent: up to the implementation, which may have a
    /// limit of its own.
    ///
    /// +conformance:feature=HTTPRouteRequestTimeout
    pub request: Option<Duration>,
    /// Longest time for one attempt at a backend, from sending the request to the complete
    /// response; with retries, each attempt gets it anew. It must not exceed the request limit,
    /// unless that is 0s, or the API server refuses the route. 0s: no limit. Absent: up to the
    /// implementation.
    ///
    /// +conformance:feature=HTTPRouteBackendTimeout
    pub backend_request: Option<Duration>,
}

/// Retry policy for requests from the gateway to a backend. Connections that fail are normally
/// retried too, whatever codes lists; the first try and all repeats together stay within the
/// request timeout.
#[api]
pub struct HTTPRouteRetry {
    /// Response statuses that count as failure and trigger another attempt. Where retries are
    /// supported at all, 500, 502, 503 and 504 work; other codes, 4xx above all, depend on the
    /// implementation. Absent or empty: no status is asked for, and as a rule only failed
    /// connections are retried.
    ///
    /// +listType=set
    /// +conformance:feature=HTTPRouteRetryCodes
    /// +conformance:feature=HTTPRouteRetry
    pub codes: Option<Vec<HTTPRouteRetryStatusCode>>,
    /// Upper bound of repeats after the first try; 1 by default. When they are used up, or the
    /// request timeout ends before that, the client gets an error. With 0, no request is repeated.
    ///
    /// +kubebuilder:default=1
    /// +kubebuilder:validation:Minimum=0
    pub attempts: Option<isize>,
    /// Base waiting time before another attempt, as a GEP-2257 duration such as 100ms. Controllers
    /// may lengthen it from one attempt to the next and add jitter, but do not go below it. Absent:
    /// the implementation picks one. Waiting counts towards the request timeout.
    pub backoff: Option<Duration>,
}

/// HTTP error status from 400 to 599 after which a request is tried again; numbers outside are
/// refused. Which codes take effect apart from 500, 502, 503 and 504 depends on the implementation.
///
/// +kubebuilder:validation:Minimum=400
/// +kubebuilder:validation:Maximum=599
#[api]
pub struct HTTPRouteRetryStatusCode(pub isize);

/// Way in which a path match compares its value with the request path. Exact and PathPrefix work
/// everywhere, regular expressions do not. A type that the controller does not know sets Accepted
/// to False (UnsupportedValue).
#[api]
pub enum PathMatchType {
    /// The whole path must be equal, case included: /foo matches neither /foo/ nor /Foo.
    ///
    /// +go:name=PathMatchExact
    Exact,
    /// The value's path elements must lead the path, case included: /abc fits /abc, /abc/ and
    /// /abc/def, but not /abcd.
    ///
    /// +go:name=PathMatchPathPrefix
    PathPrefix,
    /// The value is a pattern. Its dialect, anchoring and precedence depend on the implementation,
    /// so it is not portable.
    ///
    /// +go:name=PathMatchRegularExpression
    RegularExpression,
}

/// Condition on the URL path, without query string. Values of Exact and PathPrefix must be clean
/// absolute paths: leading '/', no '//', no '.' or '..' elements, no encoded slash and no '#'.
/// Others are refused.
///
/// +kubebuilder:validation:XValidation:message="value must be an absolute path and start with '/' when type one of ['Exact', 'PathPrefix']",rule="(self.type in ['Exact','PathPrefix']) ? self.value.startsWith('/') : true"
/// +kubebuilder:validation:XValidation:message="must not contain '//' when type one of ['Exact', 'PathPrefix']",rule="(self.type in ['Exact','PathPrefix']) ? !self.value.contains('//') : true"
/// +kubebuilder:validation:XValidation:message="must not contain '/./' when type one of ['Exact', 'PathPrefix']",rule="(self.type in ['Exact','PathPrefix']) ? !self.value.contains('/./') : true"
/// +kubebuilder:validation:XValidation:message="must not contain '/../' when type one of ['Exact', 'PathPrefix']",rule="(self.type in ['Exact','PathPrefix']) ? !self.value.contains('/../') : true"
/// +kubebuilder:validation:XValidation:message="must not contain '%2f' when type one of ['Exact', 'PathPrefix']",rule="(self.type in ['Exact','PathPrefix']) ? !self.value.contains('%2f') : true"
/// +kubebuilder:validation:XValidation:message="must not contain '%2F' when type one of ['Exact', 'PathPrefix']",rule="(self.type in ['Exact','PathPrefix']) ? !self.value.contains('%2F') : true"
/// +kubebuilder:validation:XValidation:message="must not contain '#' when type one of ['Exact', 'PathPrefix']",rule="(self.type in ['Exact','PathPrefix']) ? !self.value.contains('#') : true"
/// +kubebuilder:validation:XValidation:message="must not end with '/..' when type one of ['Exact', 'PathPrefix']",rule="(self.type in ['Exact','PathPrefix']) ? !self.value.endsWith('/..') : true"
/// +kubebuilder:validation:XValidation:message="must not end with '/.' when type one of ['Exact', 'PathPrefix']",rule="(self.type in ['Exact','PathPrefix']) ? !self.value.endsWith('/.') : true"
/// +kubebuilder:validation:XValidation:message="type must be one of ['Exact', 'PathPrefix', 'RegularExpression']",rule="self.type in ['Exact','PathPrefix'] || self.type == 'RegularExpression'"
/// +kubebuilder:validation:XValidation:message="must only contain valid characters (matching ^(?:[-A-Za-z0-9/._~!$&'()*+,;=:@]|[%][0-9a-fA-F]{2})+$) for types ['Exact', 'PathPrefix']",rule=`(self.type in ['Exact','PathPrefix']) ? self.value.matches(r"""^(?:[-A-Za-z0-9/._~!$&'()*+,;=:@]|[%][0-9a-fA-F]{2})+$""") : true`
#[api]
pub struct HTTPPathMatch {
    /// How the value is compared with the path: Exact (the whole path), PathPrefix (its leading
    /// elements) or RegularExpression (dialect of the implementation, not portable). Default:
    /// PathPrefix. A type that the controller cannot do sets Accepted to False (UnsupportedValue).
    ///
    /// +kubebuilder:default=PathPrefix
    pub r#type: Option<PathMatchType>,
    /// Path to compare with, without query string; case matters, and PathPrefix ignores a trailing
    /// '/'. For Exact and PathPrefix it must start with '/' and have no '//', no dot elements and
    /// no encoded slash, or it is refused. Default: '/', which as a prefix fits every request.
    ///
    /// +kubebuilder:default="/"
    /// +kubebuilder:validation:MaxLength=1024
    pub value: Option<String>,
}

/// Way in which a header match compares its value. Exact works everywhere; regular expressions
/// depend on the implementation. A type that the controller does not know sets Accepted to False
/// (UnsupportedValue).
#[api]
pub enum HeaderMatchType {
    /// The header's value must be equal to the given one from start to end, case included.
    ///
    /// +go:name=HeaderMatchExact
    Exact,
    /// The value is a pattern in the implementation's own dialect, so it is not portable.
    ///
    /// +go:name=HeaderMatchRegularExpression
    RegularExpression,
}

/// Name of an HTTP header field, up to 256 characters, compared without regard to case. Only token
/// characters of HTTP are allowed, so HTTP/2 pseudo headers such as ':path' are refused.
#[api]
pub struct HTTPHeaderName(pub HeaderName);

/// Condition on one request header, by name and value. A request without that header does not fit.
/// If a request repeats the header, most data planes see the values as one, joined by commas.
#[api]
pub struct HTTPHeaderMatch {
    /// How the value is compared: Exact (equal from start to end, case included) or
    /// RegularExpression (dialect of the implementation, not portable). Default: Exact. A type that
    /// the controller cannot do sets Accepted to False (UnsupportedValue).
    ///
    /// +kubebuilder:default=Exact
    pub r#type: Option<HeaderMatchType>,
    /// Header to look at, in any case. Entries that repeat a name letter by letter are refused; if
    /// they differ only in case, the first one counts and the others are ignored. HTTP/2 pseudo
    /// headers such as ':path' cannot be named: use path or method for those.
    pub name: HTTPHeaderName,
    /// Text that the header must equal, or pattern that it must fit, according to type; 1 to 4096
    /// characters. The experimental channel takes visible ASCII only, with single spaces or tabs in
    /// between. To ask merely for the header's presence, use a pattern where those are supported.
    ///
    /// +kubebuilder:validation:MinLength=1
    /// +kubebuilder:validation:MaxLength=4096
    /// +experimental:kubebuilder:validation:Pattern=`^[!-~]+([\t ]?[!-~]+)*$`
    pub value: String,
}

/// Way in which a query parameter match compares its value. Exact has the widest support; patterns
/// depend on the implementation. A type that the controller does not know sets Accepted to False
/// (UnsupportedValue).
#[api]
pub enum QueryParamMatchType {
    /// The parameter's value must be equal to the given one from start to end, case included.
    ///
    /// +go:name=QueryParamMatchExact
    Exact,
    /// The value is a pattern in the implementation's own dialect, so it is not portable.
    ///
    /// +go:name=QueryParamMatchRegularExpression
    RegularExpression,
}

/// Condition on one parameter of the URL's query string, by name and value. A request without that
/// parameter does not fit. Better not route by parameters that requests repeat: data planes treat
/// them differently.
#[api]
pub struct HTTPQueryParamMatch {
    /// How the value is compared: Exact (equal from start to end, case included) or
    /// RegularExpression (dialect of the implementation, not portable). Default: Exact. A type that
    /// the controller cannot do sets Accepted to False (UnsupportedValue).
    ///
    /// +kubebuilder:default=Exact
    pub r#type: Option<QueryParamMatchType>,
    /// Parameter to look at; unlike with headers, the name must be equal including case. Two
    /// entries with one name are refused. If a request repeats the parameter, usually the first
    /// value is taken, but data planes differ. Only characters that are valid in header names can
    /// be used.
    pub name: HTTPHeaderName,
    /// Text that the parameter must equal, or pattern that it must fit, according to type; 1 to
    /// 1024 characters, so Exact cannot ask for an empty value. Parameters of the request that no
    /// entry mentions do not matter.
    ///
    /// +kubebuilder:validation:MinLength=1
    /// +kubebuilder:validation:MaxLength=1024
    pub value: String,
}

/// HTTP request method that a match can ask for, upper case as on the wire. Requests with any other
/// method fit only matches that name none. Matching by method has extended support.
#[api]
pub enum HTTPMethod {
    /// Read a resource, normally without side effects and safe to repeat.
    ///
    /// +go:name=HTTPMethodGet
    GET,
    /// Like GET, but only status and headers are returned, without a body.
    ///
    /// +go:name=HTTPMethodHead
    HEAD,
    /// Submit data for the backend to process; a repeat may take effect twice.
    ///
    /// +go:name=HTTPMethodPost
    POST,
    /// Create a resource or replace it entirely by what the request carries.
    ///
    /// +go:name=HTTPMethodPut
    PUT,
    /// Remove the resource found at the given path; meant to be safe to repeat.
    ///
    /// +go:name=HTTPMethodDelete
    DELETE,
    /// Open a tunnel through the proxy to a target; many data planes do not allow it.
    ///
    /// +go:name=HTTPMethodConnect
    CONNECT,
    /// Ask for the capabilities of a resource; browsers use it for CORS preflights, too.
    ///
    /// +go:name=HTTPMethodOptions
    OPTIONS,
    /// Echo the request back, used for diagnosis; many servers have it switched off.
    ///
    /// +go:name=HTTPMethodTrace
    TRACE,
    /// Change some parts of an existing resource and leave the others alone.
    ///
    /// +go:name=HTTPMethodPatch
    PATCH,
}

/// Method that a CORS filter lets browsers use: one HTTP method in upper case, or '*' for all. '*'
/// must stand alone in its list, or the API server refuses the route.
#[api]
pub enum HTTPMethodWithWildcard {
    /// GET requests; CORS always permits these, whether they are listed or not.
    GET,
    /// HEAD requests; CORS always permits these, whether they are listed or not.
    HEAD,
    /// POST requests; CORS always permits these, whether they are listed or not.
    POST,
    /// PUT requests, for which browsers first ask the gateway by preflight.
    PUT,
    /// DELETE requests, for which browsers first ask the gateway by preflight.
    DELETE,
    /// CONNECT requests; browsers never let scripts send them, so listing it has no use there.
    CONNECT,
    /// OPTIONS requests that scripts send on their own; preflights work without this entry.
    OPTIONS,
    /// TRACE requests; browsers never let scripts send them, so listing it has no use there.
    TRACE,
    /// PATCH requests, for which browsers first ask the gateway by preflight.
    PATCH,
    /// Every method; must be the only entry. With credentials, the requested method is echoed in
    /// place of '*'.
    #[serde(rename = "*")]
    Any,
}

/// One alternative of a rule. All conditions given in it (path, headers, query parameters, method)
/// must hold together; an empty entry fits every request. Write several entries to match one or the
/// other.
#[api]
pub struct HTTPRouteMatch {
    /// Condition on the request path, query string excluded. Default: the prefix '/', which every
    /// path has. When several matches fit, an exact path beats a prefix and a longer prefix a
    /// shorter one; where regular expressions rank depends on the implementation.
    ///
    /// +kubebuilder:default={type: "PathPrefix", value: "/"}
    pub path: Option<HTTPPathMatch>,
    /// Conditions on request headers, one per name and 16 at most; all of them must hold. Absent or
    /// empty: headers do not matter. Between matches that are equal in path and method, the one
    /// with more header conditions wins.
    ///
    /// +listType=map
    /// +listMapKey=name
    /// +kubebuilder:validation:MaxItems=16
    pub headers: Option<Vec<HTTPHeaderMatch>>,
    /// Conditions on query parameters, one per name and 16 at most; all of them must hold. Absent
    /// or empty: the query string does not matter. More of them win between matches that are equal
    /// in path, method and number of headers. Extended support.
    ///
    /// +listType=map
    /// +listMapKey=name
    /// +kubebuilder:validation:MaxItems=16
    /// +conformance:feature=HTTPRouteQueryParamMatching
    pub query_params: Option<Vec<HTTPQueryParamMatch>>,
    /// Only requests with this HTTP method fit. Absent: requests with any method do. Between
    /// matches with an equal path, the one that names a method wins. Anything but the nine listed
    /// methods is refused by the API server. Extended support.
    ///
    /// +conformance:feature=HTTPRouteMethodMatching
    pub method: Option<HTTPMethod>,
}

/// One processing step for a request or its response. Exactly the field that belongs to the chosen
/// type must be set, or the API server refuses the route. Which types can be used depends on the
/// implementation.
///
/// +kubebuilder:validation:XValidation:message="filter.cors must be nil if the filter.type is not CORS",rule="!(has(self.cors) && self.type != 'CORS')"
/// +kubebuilder:validation:XValidation:message="filter.cors must be specified for CORS filter.type",rule="!(!has(self.cors) && self.type == 'CORS')"
/// +kubebuilder:validation:XValidation:message="filter.requestHeaderModifier must be nil if the filter.type is not RequestHeaderModifier",rule="!(has(self.requestHeaderModifier) && self.type != 'RequestHeaderModifier')"
/// +kubebuilder:validation:XValidation:message="filter.requestHeaderModifier must be specified for RequestHeaderModifier filter.type",rule="!(!has(self.requestHeaderModifier) && self.type == 'RequestHeaderModifier')"
/// +kubebuilder:validation:XValidation:message="filter.responseHeaderModifier must be nil if the filter.type is not ResponseHeaderModifier",rule="!(has(self.responseHeaderModifier) && self.type != 'ResponseHeaderModifier')"
/// +kubebuilder:validation:XValidation:message="filter.responseHeaderModifier must be specified for ResponseHeaderModifier filter.type",rule="!(!has(self.responseHeaderModifier) && self.type == 'ResponseHeaderModifier')"
/// +kubebuilder:validation:XValidation:message="filter.requestMirror must be nil if the filter.type is not RequestMirror",rule="!(has(self.requestMirror) && self.type != 'RequestMirror')"
/// +kubebuilder:validation:XValidation:message="filter.requestMirror must be specified for RequestMirror filter.type",rule="!(!has(self.requestMirror) && self.type == 'RequestMirror')"
/// +kubebuilder:validation:XValidation:message="filter.requestRedirect must be nil if the filter.type is not RequestRedirect",rule="!(has(self.requestRedirect) && self.type != 'RequestRedirect')"
/// +kubebuilder:validation:XValidation:message="filter.requestRedirect must be specified for RequestRedirect filter.type",rule="!(!has(self.requestRedirect) && self.type == 'RequestRedirect')"
/// +kubebuilder:validation:XValidation:message="filter.urlRewrite must be nil if the filter.type is not URLRewrite",rule="!(has(self.urlRewrite) && self.type != 'URLRewrite')"
/// +kubebuilder:validation:XValidation:message="filter.urlRewrite must be specified for URLRewrite filter.type",rule="!(!has(self.urlRewrite) && self.type == 'URLRewrite')"
/// +kubebuilder:validation:XValidation:message="filter.extensionRef must be nil if the filter.type is not ExtensionRef",rule="!(has(self.extensionRef) && self.type != 'ExtensionRef')"
/// +kubebuilder:validation:XValidation:message="filter.extensionRef must be specified for ExtensionRef filter.type",rule="!(!has(self.extensionRef) && self.type == 'ExtensionRef')"
/// +experimental:kubebuilder:validation:XValidation:message="filter.externalAuth must be nil if the filter.type is not ExternalAuth",rule="!(has(self.externalAuth) && self.type != 'ExternalAuth')"
/// +experimental:kubebuilder:validation:XValidation:message="filter.externalAuth must be specified for ExternalAuth filter.type",rule="!(!has(self.externalAuth) && self.type == 'ExternalAuth')"
#[api]
pub struct HTTPRouteFilter {
    /// Selects the kind of step; the field of the same name carries its settings. A type that the
    /// controller does not know is not passed over: Accepted turns False with reason
    /// UnsupportedValue.
    pub r#type: HTTPRouteFilterType,
    /// Header changes on the request before it goes to the backend. Required for, and only allowed
    /// with, type RequestHeaderModifier; once per list. In a rule's own list, every implementation
    /// supports it.
    pub request_header_modifier: Option<HTTPHeaderFilter>,
    /// Header changes on the response before it goes to the client. Required for, and only allowed
    /// with, type ResponseHeaderModifier; once per list. Extended support.
    ///
    /// +conformance:feature=HTTPRouteResponseHeaderModification
    pub response_header_modifier: Option<HTTPHeaderFilter>,
    /// Sends copies of requests to a second backend and discards its responses, for instance to try
    /// out a new version. Required for, and only allowed with, type RequestMirror. Whether it may
    /// be repeated depends on the implementation.
    ///
    /// +kubebuilder:validation:XValidation:message="Only one of percent or fraction may be specified in HTTPRequestMirrorFilter",rule="!(has(self.percent) && has(self.fraction))"
    /// +conformance:feature=HTTPRouteRequestMirror
    pub request_mirror: Option<HTTPRequestMirrorFilter>,
    /// Answers with an HTTP redirect instead of forwarding. Required for, and only allowed with,
    /// type RequestRedirect; once per list and never together with a URL rewrite. In a rule's own
    /// list it excludes backendRefs.
    pub request_redirect: Option<HTTPRequestRedirectFilter>,
    /// Changes host or path of the request before forwarding, unseen by the client. Required for,
    /// and only allowed with, type URLRewrite; once per list and never together with a redirect.
    /// Extended support.
    ///
    /// +conformance:feature=HTTPRouteHostRewrite
    /// +conformance:feature=HTTPRoutePathRewrite
    pub url_rewrite: Option<HTTPURLRewriteFilter>,
    /// Lets the gateway answer CORS preflights and add CORS headers to responses. Required for, and
    /// only allowed with, type CORS; once per list. Without such a filter, CORS is left to the
    /// backend. Extended support.
    ///
    /// +conformance:feature=HTTPRouteCORS
    pub cors: Option<HTTPCORSFilter>,
    /// Asks an authorization service before the request is forwarded; what it denies never reaches
    /// the backend. Required for, and only allowed with, type ExternalAuth. Experimental channel
    /// only, extended support.
    ///
    /// +experimental
    pub external_auth: Option<HTTPExternalAuthFilter>,
    /// Object in the route's namespace with a filter of the implementation's own. If it cannot be
    /// resolved, requests get an error rather than skip it. Required for, and only allowed with,
    /// type ExtensionRef, which may be repeated.
    pub extension_ref: Option<LocalObjectReference>,
}

/// Kinds of filter. Header modification of requests and redirects work everywhere; support for the
/// others depends on the implementation. An unknown kind sets Accepted to False (UnsupportedValue).
#[api]
pub enum HTTPRouteFilterType {
    /// Sets, adds or removes request headers before the backend sees them; once per list.
    ///
    /// +go:name=HTTPRouteFilterRequestHeaderModifier
    RequestHeaderModifier,
    /// Sets, adds or removes response headers before the client sees them; once per list.
    ///
    /// +conformance:feature=HTTPRouteResponseHeaderModification
    /// +go:name=HTTPRouteFilterResponseHeaderModifier
    ResponseHeaderModifier,
    /// Copies requests to another backend and ignores its responses; the client notices nothing.
    ///
    /// +conformance:feature=HTTPRouteRequestMirror
    /// +go:name=HTTPRouteFilterRequestMirror
    RequestMirror,
    /// Answers with a redirect instead of forwarding; once per list, not with URLRewrite.
    ///
    /// +go:name=HTTPRouteFilterRequestRedirect
    RequestRedirect,
    /// Changes host or path while forwarding; once per list, not with RequestRedirect.
    ///
    /// +conformance:feature=HTTPRouteHostRewrite
    /// +conformance:feature=HTTPRoutePathRewrite
    /// +go:name=HTTPRouteFilterURLRewrite
    URLRewrite,
    /// Custom filter of the implementation, held in an object of its own in the route's namespace.
    ///
    /// +go:name=HTTPRouteFilterExtensionRef
    ExtensionRef,
    /// Handles cross-origin requests of browsers, preflights included; once per list.
    ///
    /// +conformance:feature=HTTPRouteCORS
    /// +go:name=HTTPRouteFilterCORS
    CORS,
    /// Has an external service allow or deny each request; experimental channel only.
    ///
    /// +experimental
    /// +go:name=HTTPRouteFilterExternalAuth
    ExternalAuth,
}

/// A header name together with its value, to be written into a request or response. Values already
/// there are replaced or kept, depending on the list it stands in.
#[api]
pub struct HTTPHeader {
    /// Header to write, in any case. Entries that repeat a name letter by letter are refused; if
    /// they differ only in case, the first one counts and the others are ignored.
    pub name: HTTPHeaderName,
    /// Value to write, 1 to 4096 characters; several values for one header are joined by commas.
    /// The experimental channel takes visible ASCII only, with single spaces or tabs in between.
    ///
    /// +kubebuilder:validation:MinLength=1
    /// +kubebuilder:validation:MaxLength=4096
    /// +experimental:kubebuilder:validation:Pattern=`^[!-~]+([\t ]?[!-~]+)*$`
    pub value: String,
}

/// Header changes on a request or response, up to 16 of each sort. Name each header in one action
/// only, otherwise the filter is invalid; with no action at all, nothing is changed.
#[api]
pub struct HTTPHeaderFilter {
    /// Headers to write with exactly this value, 16 at most; values already present are replaced,
    /// and a header that is missing is created. Absent or empty: nothing is overwritten.
    ///
    /// +listType=map
    /// +listMapKey=name
    /// +kubebuilder:validation:MaxItems=16
    pub set: Option<Vec<HTTPHeader>>,
    /// Headers to add, 16 at most; the value is appended to those already present under the name,
    /// and a header that is missing is created. Absent or empty: nothing is added.
    ///
    /// +listType=map
    /// +listMapKey=name
    /// +kubebuilder:validation:MaxItems=16
    pub add: Option<Vec<HTTPHeader>>,
    /// Names of headers to drop with all their values, 16 at most; case does not matter, and it is
    /// no error if a header is not there. Absent or empty: nothing is dropped.
    ///
    /// +listType=set
    /// +kubebuilder:validation:MaxItems=16
    pub remove: Option<Vec<String>>,
}

/// Which part of the request path a redirect or rewrite replaces: all of it or the matched prefix.
/// A type that the controller does not know sets Accepted to False (UnsupportedValue).
#[api]
pub enum HTTPPathModifierType {
    /// The whole path gives way to the new value, whatever kind of path the rule matches.
    ///
    /// +go:name=FullPathHTTPPathModifier
    ReplaceFullPath,
    /// Only the prefix matched by the rule is replaced; the rest of the path stays.
    ///
    /// +go:name=PrefixMatchHTTPPathModifier
    ReplacePrefixMatch,
}

/// New path for a redirect or rewrite: either all of it or only the matched prefix, as type says.
/// The field that belongs to the type must be set, and the other must not.
///
/// +kubebuilder:validation:XValidation:message="replaceFullPath must be specified when type is set to 'ReplaceFullPath'",rule="self.type == 'ReplaceFullPath' ? has(self.replaceFullPath) : true"
/// +kubebuilder:validation:XValidation:message="type must be 'ReplaceFullPath' when replaceFullPath is set",rule="has(self.replaceFullPath) ? self.type == 'ReplaceFullPath' : true"
/// +kubebuilder:validation:XValidation:message="replacePrefixMatch must be specified when type is set to 'ReplacePrefixMatch'",rule="self.type == 'ReplacePrefixMatch' ? has(self.replacePrefixMatch) : true"
/// +kubebuilder:validation:XValidation:message="type must be 'ReplacePrefixMatch' when replacePrefixMatch is set",rule="has(self.replacePrefixMatch) ? self.type == 'ReplacePrefixMatch' : true"
#[api]
pub struct HTTPPathModifier {
    /// ReplaceFullPath or ReplacePrefixMatch. The field that belongs to it must be set and the
    /// other must not, or the API server refuses the route. There is no default.
    pub r#type: HTTPPathModifierType,
    /// Path that replaces the entire request path, up to 1024 characters, whatever the rule
    /// matched. Required for, and only allowed with, type ReplaceFullPath.
    ///
    /// +kubebuilder:validation:MaxLength=1024
    pub replace_full_path: Option<String>,
    /// Replaces the matched prefix: /foo/bar with prefix /foo and value /xyz becomes /xyz/bar.
    /// Empty drops the prefix. Only for type ReplacePrefixMatch; the rule needs exactly one match,
    /// of type PathPrefix, or it is refused.
    ///
    /// +kubebuilder:validation:MaxLength=1024
    pub replace_prefix_match: Option<String>,
}

/// Makes up the Location header and status of a redirect. What is not given here is taken from the
/// request, so an empty object would send clients back to where they came from.
#[api]
pub struct HTTPRequestRedirectFilter {
    /// http or https for the Location header, mostly https to lead clients away from plain HTTP; it
    /// also influences the port. Absent: the scheme of the request. Other schemes are refused.
    ///
    /// +kubebuilder:validation:Enum=http;https
    /// +conformance:feature=HTTPRouteSchemeRedirect
    pub scheme: Option<String>,
    /// Host for the Location header, without wildcard and port. Absent: the host that the request's
    /// Host header names. Whether clients can reach the new host is not checked.
    pub hostname: Option<PreciseHostname>,
    /// Change of the path for the Location header, whole or only the matched prefix. Absent: the
    /// request's path as it is, which fits when just scheme, host or port change.
    ///
    /// +conformance:feature=HTTPRoutePathRedirect
    pub path: Option<HTTPPathModifier>,
    /// Port for the Location header. Absent: 80 or 443 if scheme is set to http or https, else the
    /// listener's port. The scheme's usual port is left out of the URL in any case.
    ///
    /// +kubebuilder:validation:Minimum=1
    /// +kubebuilder:validation:Maximum=65535
    /// +conformance:feature=HTTPRoutePortRedirect
    pub port: Option<PortNumber>,
    /// Status of the answer. Default: 302, temporary; clients may remember a 301 for good. Every
    /// implementation knows these two; 303, 307 and 308 have extended support. Others are refused.
    ///
    /// +kubebuilder:default=302
    /// +kubebuilder:validation:Enum=301;302;303;307;308
    /// +conformance:feature=HTTPRoute303RedirectStatusCode=303
    /// +conformance:feature=HTTPRoute307RedirectStatusCode=307
    /// +conformance:feature=HTTPRoute308RedirectStatusCode=308
    pub status_code: Option<isize>,
}

/// Changes what the backend sees as host and path. The client notices nothing, unlike with a
/// redirect. Parts that are absent are forwarded as the client sent them.
#[api]
pub struct HTTPURLRewriteFilter {
    /// Host header to send to the backend, without wildcard and port. Absent: the client's Host
    /// header is kept. Useful for a backend that answers only to a name of its own.
    ///
    /// +conformance:feature=HTTPRouteHostRewrite
    pub hostname: Option<PreciseHostname>,
    /// Change of the path, whole or only the matched prefix, before forwarding. Absent: the path is
    /// kept. The rule was chosen by the original path; the new one does not select another rule.
    ///
    /// +conformance:feature=HTTPRoutePathRewrite
    pub path: Option<HTTPPathModifier>,
}

/// Where copies of requests go and how many. The client only ever sees the response of the regular
/// backend, whether the copies are answered, fail or get lost.
#[api]
pub struct HTTPRequestMirrorFilter {
    /// Receiver of the copies, each sent to one endpoint. If it is missing or, in another
    /// namespace, not granted, nothing is mirrored and ResolvedRefs is False; the route itself
    /// keeps working.
    pub backend_ref: BackendObjectReference,
    /// Share of requests to copy in percent, 0 (none) to 100 (all). Excludes fraction, both
    /// together are refused by the API server. With neither set, every request is copied.
    ///
    /// +kubebuilder:validation:Minimum=0
    /// +kubebuilder:validation:Maximum=100
    /// +conformance:feature=HTTPRoute/HTTPRouteRequestPercentageMirror
    pub percent: Option<i32>,
    /// Share of requests to copy, as numerator and denominator for fine steps. Excludes percent,
    /// both together are refused by the API server. With neither set, every request is copied.
    ///
    /// +conformance:feature=HTTPRoute/HTTPRouteRequestPercentageMirror
    pub fraction: Option<Fraction>,
}

/// CORS policy: which web origins may call this route from a browser, and with what. The gateway
/// answers preflights itself. It restrains browsers only and does not replace authorization.
#[api]
pub struct HTTPCORSFilter {
    /// Origins as scheme://host with optional port; a leading '*' in the host covers any number of
    /// labels, a lone '*' every origin (echoed with credentials). Others get no CORS headers. What
    /// absence means depends on the implementation.
    ///
    /// +listType=set
    /// +kubebuilder:validation:MaxItems=64
    /// +kubebuilder:validation:XValidation:message="AllowOrigins cannot contain '*' alongside other origins",rule="!('*' in self && self.size() > 1)"
    pub allow_origins: Option<Vec<CORSOrigin>>,
    /// True lets browsers send cookies and other credentials; '*' entries are then never sent as
    /// such. False or absent: the Access-Control-Allow-Credentials header is left out, so scripts
    /// cannot read answers to such calls.
    pub allow_credentials: Option<bool>,
    /// Methods that callers may use; browsers block others. GET, HEAD and POST always work, even
    /// when absent. '*' allows all and must stand alone; with credentials the requested method is
    /// echoed in its place.
    ///
    /// +listType=set
    /// +kubebuilder:validation:MaxItems=9
    /// +kubebuilder:validation:XValidation:message="AllowMethods cannot contain '*' alongside other methods",rule="!('*' in self && self.size() > 1)"
    pub allow_methods: Option<Vec<HTTPMethodWithWildcard>>,
    /// Request headers that callers may send beyond those CORS always permits. '*' allows all and
    /// must stand alone; with credentials the requested names are echoed in its place. Absent or
    /// empty: no further ones.
    ///
    /// +listType=set
    /// +kubebuilder:validation:MaxItems=64
    /// +kubebuilder:validation:XValidation:message="AllowHeaders cannot contain '*' alongside other methods",rule="!('*' in self && self.size() > 1)"
    pub allow_headers: Option<Vec<HTTPHeaderName>>,
    /// Response headers that scripts may read beyond the CORS safelist, 64 at most. '*' exposes
    /// all, but cannot be used with credentials. Absent or empty: the safelist only, such as
    /// Content-Type.
    ///
    /// +listType=set
    /// +kubebuilder:validation:MaxItems=64
    pub expose_headers: Option<Vec<HTTPHeaderName>>,
    /// Seconds for which a browser may cache the gateway's answer to a preflight, at least 1.
    /// Default: 5. Longer times save preflights, but changes of this filter reach browsers later.
    ///
    /// +kubebuilder:default=5
    /// +kubebuilder:validation:Minimum=1
    /// +go:type=value
    pub max_age: Option<i32>,
}

/// Protocol spoken with the authorization service. Support for either depends on the
/// implementation, and the service must be built for the one that is chosen.
#[api]
pub enum HTTPRouteExternalAuthProtocol {
    /// Plain HTTP: status 200 lets the request pass, any other denies it.
    ///
    /// +go:name=HTTPRouteExternalAuthHTTPProtocol
    HTTP,
    /// Envoy's ext_authz protocol, spoken over gRPC; the answer says whether the request may pass.
    ///
    /// +go:name=HTTPRouteExternalAuthGRPCProtocol
    GRPC,
}

/// Has an external service decide on each request; only those it allows are forwarded. What happens
/// while the service is down depends on the implementation. Experimental channel only.
///
/// +kubebuilder:validation:XValidation:message="grpc must be specified when protocol is set to 'GRPC'",rule="self.protocol == 'GRPC' ? has(self.grpc) : true"
/// +kubebuilder:validation:XValidation:message="protocol must be 'GRPC' when grpc is set",rule="has(self.grpc) ? self.protocol == 'GRPC' : true"
/// +kubebuilder:validation:XValidation:message="http must be specified when protocol is set to 'HTTP'",rule="self.protocol == 'HTTP' ? has(self.http) : true"
/// +kubebuilder:validation:XValidation:message="protocol must be 'HTTP' when http is set",rule="has(self.http) ? self.protocol == 'HTTP' : true"
#[api]
pub struct HTTPExternalAuthFilter {
    /// GRPC for Envoy's ext_authz, or HTTP, where status 200 allows and any other denies. The
    /// settings field of that name must be set and the other must not, or the API server refuses
    /// the route.
    ///
    /// +go:name=ExternalAuthProtocol
    pub protocol: HTTPRouteExternalAuthProtocol,
    /// The authorization service, which must speak the protocol on that port. Use BackendTLSPolicy
    /// if it expects TLS, a ReferenceGrant if it is in another namespace. ResolvedRefs is False if
    /// it cannot be found or used.
    pub backend_ref: BackendObjectReference,
    /// Settings for the ext_authz service. Required for, and only allowed with, protocol GRPC; an
    /// empty object is enough and passes on all headers of the client.
    ///
    /// +go:name=GRPCAuthConfig
    pub grpc: Option<GRPCAuthConfig>,
    /// Settings for the HTTP service. Required for, and only allowed with, protocol HTTP; an empty
    /// object is enough and passes on just the headers that are always sent.
    ///
    /// +go:name=HTTPAuthConfig
    pub http: Option<HTTPAuthConfig>,
    /// Sends the request body along, up to a size, which the gateway buffers for it; that costs
    /// memory and delays the request. Absent, or with maxSize 0: no body is sent.
    pub forward_body: Option<ForwardBodyConfig>,
}

/// What an ext_authz service is told about the client's request. Everything by default; a list of
/// headers keeps the rest, such as cookies, away from the service.
#[api]
pub struct GRPCAuthConfig {
    /// Client headers passed on to the authorization service, 64 at most. Absent or empty: all of
    /// them; otherwise only those listed, so include every header that it needs to decide.
    ///
    /// +listType=set
    /// +kubebuilder:validation:MaxItems=64
    /// +go:name=AllowedRequestHeaders
    pub allowed_headers: Option<Vec<String>>,
}

/// How an HTTP authorization service is called and which headers go in and out. All of it is
/// optional; an empty object means the client's path and the basic headers.
#[api]
pub struct HTTPAuthConfig {
    /// Prefix put before the client's path when the authorization service is called: with /auth, it
    /// sees /auth/shop for /shop. Absent: the path is sent as it is. Must consist of characters
    /// valid in a URL path.
    ///
    /// +kubebuilder:validation:MaxLength=1024
    /// +kubebuilder:validation:Pattern="^(?:[-A-Za-z0-9/._~!$&'()*+,;=:@]|[%][0-9a-fA-F]{2})+$"
    /// +go:type=value
    pub path: Option<String>,
    /// Client headers passed on in addition to Host, Method, Path, Content-Length and
    /// Authorization, which are always sent. 64 at most. Absent or empty: no others.
    ///
    /// +listType=set
    /// +kubebuilder:validation:MaxItems=64
    /// +go:name=AllowedRequestHeaders
    pub allowed_headers: Option<Vec<String>>,
    /// Headers copied from the authorization answer into the request to the backend, for example a
    /// user name found out there. Absent or empty: all but Host and Authority.
    ///
    /// +listType=set
    /// +kubebuilder:validation:MaxItems=64
    pub allowed_response_headers: Option<Vec<String>>,
}

/// Whether and how much of the client's body goes to the authorization service. The gateway has to
/// hold it in memory until the service has decided.
#[api]
pub struct ForwardBodyConfig {
    /// Most bytes of body to buffer and send; 0 or absent sends none. Whether larger bodies are
    /// rejected with a 4xx status or cut off depends on the implementation.
    ///
    /// +kubebuilder:validation:Minimum=0
    /// +go:type=value
    pub max_size: Option<i32>,
}

/// A backend with its weight and, optionally, filters of its own. One in another namespace needs a
/// ReferenceGrant there. An invalid one sets ResolvedRefs to False and its share of requests gets
/// 500.
#[api]
pub struct HTTPBackendRef {
    /// Object, port and weight of the backend. These fields appear directly in the entry, next to
    /// filters. For a Service, name and port suffice: group and kind point to Service by default,
    /// and the weight is 1.
    #[serde(flatten)]
    pub backend_ref: BackendRef,
    /// Steps run only for requests that go to this backend. Same rules as in the rule's list, but
    /// less widely supported, so prefer that list for what concerns all backends. Absent or empty:
    /// none. Combinations that cannot be done may set Accepted to False (IncompatibleFilters).
    ///
    /// +listType=atomic
    /// +kubebuilder:validation:MaxItems=16
    /// +kubebuilder:validation:XValidation:message="May specify either httpRouteFilterRequestRedirect or httpRouteFilterRequestRewrite, but not both",rule="!(self.exists(f, f.type == 'RequestRedirect') && self.exists(f, f.type == 'URLRewrite'))"
    /// +kubebuilder:validation:XValidation:message="CORS filter cannot be repeated",rule="self.filter(f, f.type == 'CORS').size() <= 1"
    /// +kubebuilder:validation:XValidation:message="RequestHeaderModifier filter cannot be repeated",rule="self.filter(f, f.type == 'RequestHeaderModifier').size() <= 1"
    /// +kubebuilder:validation:XValidation:message="ResponseHeaderModifier filter cannot be repeated",rule="self.filter(f, f.type == 'ResponseHeaderModifier').size() <= 1"
    /// +kubebuilder:validation:XValidation:message="RequestRedirect filter cannot be repeated",rule="self.filter(f, f.type == 'RequestRedirect').size() <= 1"
    /// +kubebuilder:validation:XValidation:message="URLRewrite filter cannot be repeated",rule="self.filter(f, f.type == 'URLRewrite').size() <= 1"
    /// +conformance:feature=HTTPRouteBackendRequestHeaderModification
    /// +conformance:feature=HTTPRouteBackendURLRewrite
    pub filters: Option<Vec<HTTPRouteFilter>>,
}

/// What controllers report about the route, one entry per parent that they manage. Route authors
/// find here whether a route works and, if not, why; they do not write it themselves.
#[api]
pub struct HTTPRouteStatus {
    /// Per-parent results in the form that all kinds of route share. They appear directly under
    /// status. Each says whether the parent accepted the route and whether everything it refers to
    /// could be resolved.
    #[serde(flatten)]
    pub route_status: RouteStatus,
}
