//! `gateway.networking.x-k8s.io/v1alpha1`: resources that have not found their final form. Experimental channel only.

pub mod conditions;
mod x_backend;
mod x_backend_traffic_policy;
mod x_mesh;
mod x_telemetry_policy;

pub use x_backend::{
    BackendAncestorStatus, BackendPort, BackendProtocol, BackendSpec, BackendStatus, BackendTLS, BackendTLSMode,
    BackendType, EndpointSelectorBackend, ExternalHostnameBackend, LabelSelector, PortNumber, XBackend,
};
pub use x_backend_traffic_policy::{
    BackendTrafficPolicySpec, BudgetDetails, RequestRate, RetryConstraint, XBackendTrafficPolicy,
};
pub use x_mesh::{MeshSpec, MeshStatus, XMesh};
pub use x_telemetry_policy::{
    Attribute, AttributeName, AttributeSourceType, ParentBasedSampling, ParentBasedSamplingMode, TelemetryPolicySpec,
    TelemetryPolicyStatus, TracingConfig, TracingMode, TracingProvider, XTelemetryPolicy,
};

/// Parts that are the same as in v1.
pub use crate::v1::{Duration, LocalPolicyTargetReference, PolicyStatus, SessionPersistence};
