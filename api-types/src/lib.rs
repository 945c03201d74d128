//! Kubernetes Gateway API v1.7.0 as annotated Rust types: the source of its CRDs in both channels, and a library for
//! controllers and clients.
//!
//! `xtask` generates CRDs from [`RESOURCES`]. Features: `serde` (default) for reading and writing objects, `kube` for `kube::Api`,
//! `validation` for `route.validate(channel)` and `route.validate_update(&stored, channel)`, `conversions` for the functions of lenses.
//!
//! Invariants: field names, limits, patterns, CEL rules with their messages, list types, defaults, print columns, categories
//! and labels are the API's contract and are reproduced exactly; every description is our own; one file per kind.
#![deny(missing_docs)]

#[cfg(feature = "conversions")]
pub mod conversions;
pub mod v1;
pub mod v1alpha1;
pub mod v1alpha2;
pub mod v1alpha3;
pub mod v1beta1;

use crd_channels::Resource;

/// The API group of the resources that have, or will have, a stable version.
pub const GROUP: &str = "gateway.networking.k8s.io";
/// The API group of resources that have not found their final form.
pub const EXPERIMENTAL_GROUP: &str = "gateway.networking.x-k8s.io";

crd_channels::resources!();

macro_rules! kinds {
    ($($(#[doc = $docs:literal])* $constant:ident: $resource:ty;)*) => {
        /// The kinds of all resources.
        pub const KINDS: &[&str] = &[$(kinds::$constant),*];

        /// The kind of each resource, as objects carry it.
        pub mod kinds {
            use super::*;
            $($(#[doc = $docs])* pub const $constant: &str = <$resource as Resource>::KIND;)*
        }
    };
}

kinds! {
    /// How a Gateway speaks TLS to a backend.
    BACKEND_TLS_POLICY: v1::BackendTLSPolicy;
    /// Where traffic enters, and on which listeners.
    GATEWAY: v1::Gateway;
    /// Which controller runs a Gateway.
    GATEWAY_CLASS: v1::GatewayClass;
    /// Where gRPC calls go.
    GRPC_ROUTE: v1::GRPCRoute;
    /// Where HTTP requests go.
    HTTP_ROUTE: v1::HTTPRoute;
    /// Further listeners of a Gateway, from other namespaces.
    LISTENER_SET: v1::ListenerSet;
    /// Which namespaces may refer to objects here.
    REFERENCE_GRANT: v1::ReferenceGrant;
    /// Where TCP connections go.
    TCP_ROUTE: v1::TCPRoute;
    /// Where TLS connections go, by their server name.
    TLS_ROUTE: v1::TLSRoute;
    /// Where UDP packets go.
    UDP_ROUTE: v1::UDPRoute;
    /// A backend without a Service.
    X_BACKEND: v1alpha1::XBackend;
    /// How clients of a backend retry and keep sessions.
    X_BACKEND_TRAFFIC_POLICY: v1alpha1::XBackendTrafficPolicy;
    /// Which controller runs a mesh.
    X_MESH: v1alpha1::XMesh;
    /// What a data plane reports about traffic.
    X_TELEMETRY_POLICY: v1alpha1::XTelemetryPolicy;
}
