//! `gateway.networking.k8s.io/v1alpha3`: served in the experimental channel only, and deprecated.

mod backend_tls_policy;
mod tls_route;

pub use backend_tls_policy::BackendTLSPolicy;
pub use tls_route::TLSRoute;

/// Parts that are the same as in v1.
pub use crate::v1::{BackendRef, CommonRouteSpec, Hostname, RouteStatus, SectionName, TLSRouteSpec};
