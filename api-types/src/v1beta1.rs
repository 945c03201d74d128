//! `gateway.networking.k8s.io/v1beta1`: the version of four resources for older clients. Their parts are those of v1.

mod gateway;
mod gateway_class;
mod http_route;
mod reference_grant;

pub use gateway::Gateway;
pub use gateway_class::GatewayClass;
pub use http_route::HTTPRoute;
pub use reference_grant::ReferenceGrant;

/// Parts that are the same as in v1.
pub use crate::v1::{
    AddressType, AllowedRoutes, AnnotationKey, AnnotationValue, BackendObjectReference, BackendRef, CommonRouteSpec,
    Duration, FromNamespaces, GatewayClassSpec, GatewayClassStatus, GatewayController, GatewaySpec, GatewaySpecAddress,
    GatewayStatus, Group, HTTPBackendRef, HTTPHeader, HTTPHeaderFilter, HTTPHeaderMatch, HTTPHeaderName, HTTPMethod,
    HTTPPathMatch, HTTPPathModifier, HTTPPathModifierType, HTTPQueryParamMatch, HTTPRequestMirrorFilter,
    HTTPRequestRedirectFilter, HTTPRouteFilter, HTTPRouteFilterType, HTTPRouteMatch, HTTPRouteRule, HTTPRouteSpec,
    HTTPRouteStatus, HTTPRouteTimeouts, HTTPURLRewriteFilter, HeaderMatchType, Hostname, Kind, Listener,
    ListenerStatus, ListenerTLSConfig, LocalObjectReference, Namespace, ObjectName, ParametersReference,
    ParentReference, PathMatchType, PortNumber, PreciseHostname, ProtocolType, QueryParamMatchType, ReferenceGrantFrom,
    ReferenceGrantSpec, ReferenceGrantTo, RouteGroupKind, RouteNamespaces, RouteParentStatus, RouteStatus,
    SecretObjectReference, SectionName, TLSModeType, conditions,
};
