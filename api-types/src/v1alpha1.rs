//! `gateway.networking.x-k8s.io/v1alpha1`: resources that have not found their final form. Experimental channel only.

pub mod conditions;
mod x_backend;
mod x_backend_traffic_policy;
mod x_mesh;

pub use x_backend::{
    BackendAncestorStatus, BackendPort, BackendProtocol, BackendSpec, BackendStatus, BackendTLS, BackendTLSMode,
    BackendType, ExternalHostnameBackend, PortNumber, XBackend,
};
pub use x_backend_traffic_policy::{
    BackendTrafficPolicySpec, BudgetDetails, RequestRate, RetryConstraint, XBackendTrafficPolicy,
};
pub use x_mesh::{MeshSpec, MeshStatus, XMesh};
