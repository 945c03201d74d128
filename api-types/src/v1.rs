//! `gateway.networking.k8s.io/v1`: the stable version of every resource, and the types that other versions share.

mod backend_tls_policy;
pub mod conditions;
mod fraction;
mod gateway;
mod gateway_class;
mod grpc_route;
mod http_route;
mod listener_set;
mod names;
mod object_reference;
mod policy;
mod reference_grant;
mod route;
mod session_persistence;
mod tcp_route;
mod tls_route;
mod udp_route;

pub use backend_tls_policy::{
    BackendTLSPolicy, BackendTLSPolicySpec, BackendTLSPolicyValidation, SubjectAltName, SubjectAltNameType,
    WellKnownCACertificatesType,
};
pub use fraction::Fraction;
pub use gateway::{
    AllowedListeners, AllowedRoutes, FromNamespaces, FrontendTLSConfig, FrontendTLSValidation,
    FrontendValidationModeType, Gateway, GatewayAddressRoutabilityType, GatewayBackendTLS, GatewayInfrastructure,
    GatewaySpec, GatewaySpecAddress, GatewayStatus, GatewayStatusAddress, GatewayTLSConfig, Listener, ListenerFilter,
    ListenerFilterType, ListenerFilters, ListenerNamespaces, ListenerStatus, ListenerTLSConfig,
    LocalParametersReference, ProtocolType, RouteGroupKind, RouteNamespaces, TLSConfig, TLSModeType, TLSPortConfig,
};
pub use gateway_class::{
    FeatureName, GatewayClass, GatewayClassSpec, GatewayClassStatus, ParametersReference, SupportedFeature,
};
pub use grpc_route::{
    GRPCBackendRef, GRPCHeaderMatch, GRPCHeaderMatchType, GRPCHeaderName, GRPCMethodMatch, GRPCMethodMatchType,
    GRPCRoute, GRPCRouteFilter, GRPCRouteFilterType, GRPCRouteMatch, GRPCRouteRule, GRPCRouteSpec, GRPCRouteStatus,
};
pub use http_route::{
    ForwardBodyConfig, GRPCAuthConfig, HTTPAuthConfig, HTTPBackendRef, HTTPCORSFilter, HTTPExternalAuthFilter,
    HTTPHeader, HTTPHeaderFilter, HTTPHeaderMatch, HTTPHeaderName, HTTPMethod, HTTPMethodWithWildcard, HTTPPathMatch,
    HTTPPathModifier, HTTPPathModifierType, HTTPQueryParamMatch, HTTPRequestMirrorFilter, HTTPRequestRedirectFilter,
    HTTPRoute, HTTPRouteExternalAuthProtocol, HTTPRouteFilter, HTTPRouteFilterType, HTTPRouteMatch, HTTPRouteRetry,
    HTTPRouteRetryStatusCode, HTTPRouteRule, HTTPRouteSpec, HTTPRouteStatus, HTTPRouteTimeouts, HTTPURLRewriteFilter,
    HeaderMatchType, PathMatchType, QueryParamMatchType,
};
pub use listener_set::{
    ListenerEntry, ListenerEntryStatus, ListenerSet, ListenerSetSpec, ListenerSetStatus, ParentGatewayReference,
};
pub use names::{
    AbsoluteURI, AddressType, AnnotationKey, AnnotationValue, CORSOrigin, Duration, GatewayController, Group,
    HeaderName, Hostname, Kind, LabelKey, LabelValue, Namespace, ObjectName, PreciseHostname, SectionName,
};
pub use object_reference::{BackendObjectReference, LocalObjectReference, ObjectReference, SecretObjectReference};
pub use policy::{
    LocalPolicyTargetReference, LocalPolicyTargetReferenceWithSectionName, NamespacedPolicyTargetReference,
    PolicyAncestorStatus, PolicyStatus,
};
pub use reference_grant::{ReferenceGrant, ReferenceGrantFrom, ReferenceGrantSpec, ReferenceGrantTo};
pub use route::{
    BackendRef, CommonRouteSpec, GatewayDefaultScope, ParentReference, PortNumber, RouteParentStatus, RouteStatus,
};
pub use session_persistence::{
    CookieConfig, CookieLifetimeType, CookieName, HeaderConfig, SessionPersistence, SessionPersistenceType,
};
pub use tcp_route::{TCPRoute, TCPRouteRule, TCPRouteSpec, TCPRouteStatus};
pub use tls_route::{TLSRoute, TLSRouteRule, TLSRouteSpec, TLSRouteStatus};
pub use udp_route::{UDPRoute, UDPRouteRule, UDPRouteSpec, UDPRouteStatus};
