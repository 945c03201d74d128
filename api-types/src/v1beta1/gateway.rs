//! The v1beta1 form of Gateway, still served for older clients. It has the same spec and status as
//! v1, which is the stored version and the one to use for new manifests.

use crd_channels::{ObjectMeta, api};

use crate::v1::{GatewaySpec, GatewayStatus};

/// An entry point for traffic, with listeners that routes attach to. This is the older v1beta1 form
/// with the same fields as v1; prefer v1 for new manifests.
///
/// +kubebuilder:resource:categories=gateway-api,shortName=gtw
/// +kubebuilder:subresource:status
/// +kubebuilder:printcolumn:name="Class",type=string,JSONPath=".spec.gatewayClassName"
/// +kubebuilder:printcolumn:name="Address",type=string,JSONPath=".status.addresses[*].value"
/// +kubebuilder:printcolumn:name="Programmed",type=string,JSONPath=`.status.conditions[?(@.type=="Programmed")].status`
/// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=".metadata.creationTimestamp"
/// +conformance:feature=Gateway
#[api(group = "gateway.networking.k8s.io", version = "v1beta1", kind = "Gateway")]
pub struct Gateway {
    /// Name, namespace, labels and annotations of the Gateway. Routes and ListenerSets find it by
    /// this name and namespace in their parent references.
    pub metadata: ObjectMeta,
    /// What the operator asks for: the class, the listeners and optional settings for addresses,
    /// TLS and infrastructure. The controller of the chosen class acts on it.
    pub spec: GatewaySpec,
    /// What the controller reports back: assigned addresses, overall conditions and the state of
    /// every listener. Until a controller responds, Accepted and Programmed are Unknown with reason
    /// Pending.
    ///
    /// +kubebuilder:default={conditions: {{type: "Accepted", status: "Unknown", reason:"Pending", message:"Waiting for controller", lastTransitionTime: "1970-01-01T00:00:00Z"},{type: "Programmed", status: "Unknown", reason:"Pending", message:"Waiting for controller", lastTransitionTime: "1970-01-01T00:00:00Z"}}}
    pub status: Option<GatewayStatus>,
}
