//! The GatewayClass resource: it ties Gateways to the controller that implements them and carries
//! settings shared by all Gateways of the class. Infrastructure providers and cluster operators
//! write it; controllers report through its status whether they accept it and which features they
//! support.

use crd_channels::{Condition, ObjectMeta, api};

use crate::v1::{GatewayController, Group, Kind, Namespace};

/// A cluster-wide template that tells which controller runs the Gateways referring to it, and with
/// which shared parameters. Usually installed along with an implementation.
///
/// +kubebuilder:resource:categories=gateway-api,shortName=gc,scope=Cluster
/// +kubebuilder:storageversion
/// +kubebuilder:subresource:status
/// +kubebuilder:printcolumn:name="Controller",type=string,JSONPath=".spec.controllerName"
/// +kubebuilder:printcolumn:name="Accepted",type=string,JSONPath=`.status.conditions[?(@.type=="Accepted")].status`
/// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=".metadata.creationTimestamp"
/// +kubebuilder:printcolumn:name="Description",type=string,JSONPath=".spec.description",priority=1
/// +lens:resource:version=v1beta1,since=v1.0.0
/// +lens:resource:version=v1alpha2,since=v1.0.0
#[api(group = "gateway.networking.k8s.io", version = "v1", kind = "GatewayClass")]
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

/// Configuration of a GatewayClass: the responsible controller, optional parameters and a short
/// text for humans.
#[api]
pub struct GatewayClassSpec {
    /// Domain-prefixed name of the controller that handles Gateways of this class, for example
    /// example.net/gateway-controller. Cannot be changed later; if no running controller uses that
    /// name, the class stays Pending.
    ///
    /// +kubebuilder:validation:XValidation:message="field is immutable",rule="self == oldSelf"
    pub controller_name: GatewayController,
    /// Object holding settings of the implementation for all Gateways of this class. When absent,
    /// the controller uses its defaults. If the object is missing or unsupported, Accepted becomes
    /// False with reason InvalidParameters.
    pub parameters_ref: Option<ParametersReference>,
    /// Short note of at most 64 characters that helps people choose a class. Optional and without
    /// effect on behavior; kubectl get shows it with -o wide.
    ///
    /// +kubebuilder:validation:MaxLength=64
    pub description: Option<String>,
}

/// Points to the configuration object of a GatewayClass, which can be cluster-scoped or live in a
/// namespace.
#[api]
pub struct ParametersReference {
    /// API group of the parameters object; the empty string means the core group. The documentation
    /// of the implementation names the groups it reads.
    pub group: Group,
    /// Kind of the parameters object, for example ConfigMap or a custom resource of the
    /// implementation. The class is not accepted if its controller does not know the kind.
    pub kind: Kind,
    /// Name of the parameters object, 1 to 253 characters. For a namespaced kind it is looked up in
    /// the namespace given next to it.
    ///
    /// +kubebuilder:validation:MinLength=1
    /// +kubebuilder:validation:MaxLength=253
    pub name: String,
    /// Namespace of the parameters object. Needed for namespaced kinds, because a GatewayClass has
    /// no namespace to fall back on; leave it out for cluster-scoped kinds.
    pub namespace: Option<Namespace>,
}

/// Observed state of a GatewayClass, written by the controller named in its spec and read by
/// operators and test tools.
///
/// +lens:wrapInObject:from=supportedFeatures[*],to=supportedFeatures[*],field=name,since=v1.2.0
#[api]
pub struct GatewayClassStatus {
    /// State of the class by condition type. Accepted tells whether the controller took it on and
    /// its parameters are valid; it starts as Unknown with reason Pending.
    ///
    /// +listType=map
    /// +listMapKey=type
    /// +kubebuilder:validation:MaxItems=8
    /// +kubebuilder:default={{type: "Accepted", status: "Unknown", message: "Waiting for controller", reason: "Pending", lastTransitionTime: "1970-01-01T00:00:00Z"}}
    pub conditions: Option<Vec<Condition>>,
    /// Names of Gateway API features the implementation supports, up to 64, sorted alphabetically
    /// by the controller. Conformance tests use it to choose what to run. Absent if nothing is
    /// published.
    ///
    /// +listType=map
    /// +listMapKey=name
    /// +kubebuilder:validation:MaxItems=64
    pub supported_features: Option<Vec<SupportedFeature>>,
}

/// Name of a Gateway API feature as used by the conformance suite, for example
/// HTTPRouteMethodMatching.
#[api]
pub struct FeatureName(pub String);

/// One feature the controller claims to support for Gateways of this class, identified by name.
#[api]
pub struct SupportedFeature {
    /// The feature's name as known to the conformance suite, such as GatewayPort8080. Each name is
    /// listed only once per class.
    pub name: FeatureName,
}
