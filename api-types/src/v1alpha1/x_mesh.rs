//! The experimental XMesh resource: represents a service mesh in the cluster, much as GatewayClass
//! does for Gateways. Mesh vendors or cluster operators write it; the mesh's controller reports its
//! state and features.

use crd_channels::{Condition, ObjectMeta, api};

use crate::v1::{GatewayController, ParametersReference, SupportedFeature};

/// Represents one service mesh of the cluster: who runs it, how it is configured and what it
/// supports. Cluster-scoped. Experimental: the API may change incompatibly or vanish.
///
/// +experimental
/// +kubebuilder:resource:categories=gateway-api,shortName=mesh,scope=Cluster
/// +kubebuilder:subresource:status
/// +kubebuilder:printcolumn:name="Accepted",type=string,JSONPath=`.status.conditions[?(@.type=="Accepted")].status`
/// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=".metadata.creationTimestamp"
#[api(group = "gateway.networking.x-k8s.io", version = "v1alpha1", kind = "XMesh")]
pub struct XMesh {
    /// Name, labels and annotations of the mesh. The resource is cluster-scoped, so it has no
    /// namespace.
    pub metadata: ObjectMeta,
    /// Which controller runs the mesh and where its settings are. Written by the operator or by the
    /// installer of the mesh.
    pub spec: MeshSpec,
    /// What the mesh's controller reports back: whether it accepts the resource and which features
    /// it offers. Until it responds, Accepted is Unknown with reason Pending.
    ///
    /// +kubebuilder:default={conditions: {{type: "Accepted", status: "Unknown", reason:"Pending", message:"Waiting for controller", lastTransitionTime: "1970-01-01T00:00:00Z"}}}
    pub status: Option<MeshStatus>,
}

/// Configuration of an XMesh: the responsible controller, optional parameters and a short text for
/// humans.
#[api]
pub struct MeshSpec {
    /// Domain-prefixed name of the controller that runs the mesh, for example
    /// example.net/mesh-controller. Cannot be changed later; if no running controller uses that
    /// name, the XMesh stays Pending.
    ///
    /// +kubebuilder:validation:XValidation:message="field is immutable",rule="self == oldSelf"
    pub controller_name: GatewayController,
    /// Object with settings of the implementation for the whole mesh. When absent, the mesh runs
    /// with its defaults. If the object is missing or unsupported, Accepted becomes False with
    /// reason InvalidParameters.
    pub parameters_ref: Option<ParametersReference>,
    /// Short note for people, at most 64 characters, for example which clusters or teams the mesh
    /// serves. Optional and without effect on behavior.
    ///
    /// +kubebuilder:validation:MaxLength=64
    pub description: Option<String>,
}

/// Observed state of an XMesh, written by the controller named in its spec and read by operators
/// and test tools.
#[api]
pub struct MeshStatus {
    /// State of the mesh, up to 8 entries by condition type. Accepted tells whether the controller
    /// took it on. If status comes without conditions, Accepted and Programmed are filled in as
    /// Unknown with reason Pending.
    ///
    /// +listType=map
    /// +listMapKey=type
    /// +kubebuilder:validation:MaxItems=8
    /// +kubebuilder:default={{type: "Accepted", status: "Unknown", reason:"Pending", message:"Waiting for controller", lastTransitionTime: "1970-01-01T00:00:00Z"},{type: "Programmed", status: "Unknown", reason:"Pending", message:"Waiting for controller", lastTransitionTime: "1970-01-01T00:00:00Z"}}
    pub conditions: Option<Vec<Condition>>,
    /// Names of Gateway API features the mesh supports, up to 64, each listed once. Conformance
    /// tests use it to choose what to run. Absent if nothing is published.
    ///
    /// +listType=map
    /// +listMapKey=name
    /// +kubebuilder:validation:MaxItems=64
    pub supported_features: Option<Vec<SupportedFeature>>,
}
