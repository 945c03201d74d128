//! The experimental XTelemetryPolicy resource: whether the data plane records traces of requests,
//! for how many of them, and where it sends them. Cluster operators write it next to a Gateway;
//! controllers configure the data plane with it.

use crd_channels::{ObjectMeta, api};

use crate::v1::{
    BackendObjectReference, Fraction, HTTPHeader, HTTPHeaderName, LocalObjectReference, PolicyAncestorStatus,
};

/// Configures what the data plane of its targets reports about traffic, for now traces. Experimental:
/// the API may change incompatibly or vanish.
///
/// +experimental
/// +kubebuilder:resource:categories=gateway-api,shortName=xtelemetrypolicy
/// +kubebuilder:subresource:status
/// +kubebuilder:metadata:labels="gateway.networking.k8s.io/policy=Direct"
/// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=".metadata.creationTimestamp"
#[api(group = "gateway.networking.x-k8s.io", version = "v1alpha1", kind = "XTelemetryPolicy")]
pub struct XTelemetryPolicy {
    /// Name, namespace, labels and annotations of the policy. It can only target objects in its own
    /// namespace.
    pub metadata: ObjectMeta,
    /// Which objects the policy covers and what their data plane reports. Usually written by the
    /// operator of a Gateway.
    pub spec: TelemetryPolicySpec,
    /// What controllers report back, one entry for each Gateway or other ancestor through which the
    /// policy takes effect. Absent until a controller has looked at it.
    pub status: Option<TelemetryPolicyStatus>,
}

/// Desired configuration of an XTelemetryPolicy: its targets and at least one kind of telemetry.
///
/// +kubebuilder:validation:AtLeastOneOf=tracing
#[api]
pub struct TelemetryPolicySpec {
    /// Objects the policy covers, 1 to 16 in its namespace, such as Gateways. A target counts as a
    /// whole; the policy cannot be limited to a listener.
    ///
    /// +listType=atomic
    /// +kubebuilder:validation:MinItems=1
    /// +kubebuilder:validation:MaxItems=16
    pub target_refs: Vec<LocalObjectReference>,
    /// Traces of requests: whether they are recorded, for how many requests, and where they go.
    /// Required as long as policies know no other telemetry.
    ///
    /// +go:type=value
    pub tracing: Option<TracingConfig>,
}

/// How the data plane traces requests. All fields but mode belong to mode Enabled; in every other mode
/// the API server refuses them.
///
/// +kubebuilder:validation:XValidation:message="provider is required when mode is Enabled, and must be empty otherwise",rule="self.mode == 'Enabled' ? has(self.provider) : !has(self.provider)"
/// +kubebuilder:validation:XValidation:message="samplingRate can only be set when mode is Enabled",rule="has(self.samplingRate) ? self.mode == 'Enabled' : true"
/// +kubebuilder:validation:XValidation:message="parentBasedSampling can only be set when mode is Enabled",rule="has(self.parentBasedSampling) ? self.mode == 'Enabled' : true"
/// +kubebuilder:validation:XValidation:message="serviceName can only be set when mode is Enabled",rule="has(self.serviceName) ? self.mode == 'Enabled' : true"
/// +kubebuilder:validation:XValidation:message="spanName can only be set when mode is Enabled",rule="has(self.spanName) ? self.mode == 'Enabled' : true"
/// +kubebuilder:validation:XValidation:message="attributes can only be set when mode is Enabled",rule="has(self.attributes) ? self.mode == 'Enabled' : true"
#[api]
pub struct TracingConfig {
    /// Whether requests are traced. Default: ImplementationDefault, which leaves it to the
    /// implementation.
    ///
    /// +kubebuilder:default=ImplementationDefault
    /// +go:type=value
    pub mode: Option<TracingMode>,
    /// Where traces are sent. Required for mode Enabled and refused in every other mode.
    ///
    /// +go:type=value
    pub provider: Option<TracingProvider>,
    /// Share of requests that are traced if no caller has decided about them. Absent: the
    /// implementation picks one.
    pub sampling_rate: Option<Fraction>,
    /// What happens to requests for which a caller decided already whether they are traced. Absent:
    /// up to the implementation.
    ///
    /// +go:type=value
    pub parent_based_sampling: Option<ParentBasedSampling>,
    /// Name under which the data plane appears in traces. 1 to 253 letters, digits and some
    /// punctuation. Absent: the implementation picks one.
    ///
    /// +kubebuilder:validation:MinLength=1
    /// +kubebuilder:validation:MaxLength=253
    /// +kubebuilder:validation:Pattern=`^[a-zA-Z0-9_.:/-]+$`
    /// +go:type=value
    pub service_name: Option<String>,
    /// Name of the spans that the data plane records, up to 256 characters; single spaces may
    /// separate words. Absent: the implementation picks one, often from the request.
    ///
    /// +kubebuilder:validation:MinLength=1
    /// +kubebuilder:validation:MaxLength=256
    /// +kubebuilder:validation:Pattern=`^[a-zA-Z0-9_.:/-]+( [a-zA-Z0-9_.:/-]+)*$`
    /// +go:type=value
    pub span_name: Option<String>,
    /// Attributes that are added to each span, with unique names. Absent or empty: only those of the
    /// implementation.
    ///
    /// +listType=map
    /// +listMapKey=name
    pub attributes: Option<Vec<Attribute>>,
}

/// Whether the data plane records traces of requests.
#[api]
pub enum TracingMode {
    /// Requests are traced as the policy says.
    Enabled,
    /// No request is traced, whatever the implementation does by default.
    Disabled,
    /// The implementation decides.
    ImplementationDefault,
}

/// The service that collects traces, and how to call it.
#[api]
pub struct TracingProvider {
    /// The collector. A Service needs a port, and a target in another namespace needs a
    /// ReferenceGrant there. Which protocol it speaks is up to the implementation.
    pub backend_ref: BackendObjectReference,
    /// Headers that are sent along with traces, up to 16, for example to identify the sender at the
    /// collector. Absent or empty: none.
    ///
    /// +listType=map
    /// +listMapKey=name
    /// +kubebuilder:validation:MaxItems=16
    pub headers: Option<Vec<HTTPHeader>>,
}

/// How decisions of callers about tracing are treated.
///
/// +kubebuilder:validation:XValidation:message="samplingRate can only be set when mode is Enabled",rule="has(self.samplingRate) ? self.mode == 'Enabled' : true"
#[api]
pub struct ParentBasedSampling {
    /// Whether the decision of a caller counts. Default: ImplementationDefault, which leaves it to the
    /// implementation.
    ///
    /// +kubebuilder:default=ImplementationDefault
    /// +go:type=value
    pub mode: Option<ParentBasedSamplingMode>,
    /// Share of the requests selected by a caller that are traced. Only for mode Enabled. Absent: up
    /// to the implementation.
    pub sampling_rate: Option<Fraction>,
}

/// Whether decisions of callers about tracing count.
#[api]
pub enum ParentBasedSamplingMode {
    /// The data plane follows the decision that comes with a request.
    Enabled,
    /// The data plane decides by itself, as if no caller had decided.
    Disabled,
    /// The implementation decides.
    ImplementationDefault,
}

/// One attribute of spans, with a value from one of three sources. The field that belongs to
/// sourceType must be set and the other two left out.
///
/// +kubebuilder:validation:XValidation:message="headerName is required when sourceType is Header, and must be empty otherwise",rule="self.sourceType == 'Header' ? has(self.headerName) : !has(self.headerName)"
/// +kubebuilder:validation:XValidation:message="literalValue is required when sourceType is Literal, and must be empty otherwise",rule="self.sourceType == 'Literal' ? has(self.literalValue) : !has(self.literalValue)"
/// +kubebuilder:validation:XValidation:message="attributeKey is required when sourceType is Attribute, and must be empty otherwise",rule="self.sourceType == 'Attribute' ? has(self.attributeKey) : !has(self.attributeKey)"
#[api]
pub struct Attribute {
    /// Name of the attribute in the span. Each name can be used once in a policy.
    pub name: AttributeName,
    /// Where the value comes from: a header of the request, a fixed text, or an attribute that the
    /// data plane knows about the request.
    pub source_type: AttributeSourceType,
    /// Header of the request whose value is taken. Required for sourceType Header.
    ///
    /// +go:type=value
    pub header_name: Option<HTTPHeaderName>,
    /// The value itself, up to 1024 characters. Required for sourceType Literal.
    ///
    /// +kubebuilder:validation:MinLength=1
    /// +kubebuilder:validation:MaxLength=1024
    /// +go:type=value
    pub literal_value: Option<String>,
    /// Key of an attribute of the data plane, in lowercase, such as http.response.status_code.
    /// Which keys exist depends on the implementation. Required for sourceType Attribute.
    ///
    /// +kubebuilder:validation:MinLength=1
    /// +kubebuilder:validation:MaxLength=256
    /// +kubebuilder:validation:Pattern=`^[a-z0-9_.-]+$`
    /// +go:type=value
    pub attribute_key: Option<String>,
}

/// Name of an attribute of a span, 1 to 256 letters, digits and some punctuation.
///
/// +kubebuilder:validation:MinLength=1
/// +kubebuilder:validation:MaxLength=256
/// +kubebuilder:validation:Pattern=`^[a-zA-Z0-9_.:/-]+$`
#[api]
pub struct AttributeName(pub String);

/// Where the value of an attribute comes from.
#[api]
pub enum AttributeSourceType {
    /// The value of a header of the request.
    ///
    /// +go:name=AttributeSourceHeader
    Header,
    /// A fixed text in the policy.
    ///
    /// +go:name=AttributeSourceLiteral
    Literal,
    /// An attribute that the data plane knows about the request.
    ///
    /// +go:name=AttributeSourceAttribute
    Attribute,
}

/// Observed state of an XTelemetryPolicy. It can work through several Gateways and controllers at
/// once, so the results are kept separately for each of them.
#[api]
pub struct TelemetryPolicyStatus {
    /// One entry per ancestor and controller, at most 16. Controllers drop their entries once they
    /// no longer apply.
    ///
    /// +listType=atomic
    /// +kubebuilder:validation:MaxItems=16
    pub ancestors: Vec<PolicyAncestorStatus>,
}
