//! `gateway.networking.k8s.io/v1alpha2`: served in the experimental channel only, and deprecated.

mod grpc_route;
mod tcp_route;
mod tls_route;
mod udp_route;

pub use grpc_route::GRPCRoute;
pub use tcp_route::{TCPRoute, TCPRouteSpec};
pub use tls_route::{TLSRoute, TLSRouteSpec};
pub use udp_route::{UDPRoute, UDPRouteSpec};

/// Parts that are the same as in v1.
pub use crate::v1::{
    AddressType, AnnotationKey, AnnotationValue, BackendObjectReference, BackendRef, CommonRouteSpec, Duration,
    GatewayController, Group, Hostname, Kind, LocalObjectReference, LocalPolicyTargetReference,
    LocalPolicyTargetReferenceWithSectionName, Namespace, NamespacedPolicyTargetReference, ObjectName, ParentReference,
    PolicyAncestorStatus, PolicyStatus, PortNumber, PreciseHostname, ReferenceGrant, ReferenceGrantFrom,
    ReferenceGrantSpec, ReferenceGrantTo, RouteParentStatus, RouteStatus, SecretObjectReference, SectionName,
    SessionPersistence, TCPRouteRule, TCPRouteStatus, TLSRouteRule, TLSRouteStatus, UDPRouteRule, UDPRouteStatus,
    conditions,
};
