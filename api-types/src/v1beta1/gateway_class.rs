//! The v1beta1 form of GatewayClass, still served for older clients. It has the same spec and
//! status as v1, which is the stored version and the one to use for new manifests.

use crd_channels::{ObjectMeta, api};

use crate::v1::{GatewayClassSpec, GatewayClassStatus};

/// Ties Gateways to the controller that runs them, with shared parameters. This is the older
/// v1beta1 form with the same fields as v1; prefer v1 for new manifests.
///
/// +kubebuilder:resource:categories=gateway-api,shortName=gc,scope=Cluster
/// +kubebuilder:subresource:status
/// +kubebuilder:printcolumn:name="Controller",type=string,JSONPath=".spec.controllerName"
/// +kubebuilder:printcolumn:name="Accepted",type=string,JSONPath=`.status.conditions[?(@.type=="Accepted")].status`
/// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=".metadata.creationTimestamp"
/// +kubebuilder:printcolumn:name="Description",type=string,JSONPath=".spec.description",priority=1
#[api(group = "gateway.networking.k8s.io", version = "v1beta1", kind = "GatewayClass")]
pub struct GatewayClass {
    /// Name, labels and annotations of the class. The resource is cluster-scoped, so it has no
    /// namespace; Gateways select it by name in spec.gatewayClassName.
    pub metadata: ObjectMeta,
    /// Which controller owns the class and how it is configured. Written by whoever installs the
    /// implementation.
    pub spec: GatewayClassSpec,
    /// What the controller reports back: whether it accepts the class and which features it offers.
    /// Until a controller responds, Accepted is Unknown with reason Pending.
    ///
    /// +kubebuilder:default={conditions: {{type: "Accepted", status: "Unknown", message: "Waiting for controller", reason: "Pending", lastTransitionTime: "1970-01-01T00:00:00Z"}}}
    pub status: Option<GatewayClassStatus>,
}
