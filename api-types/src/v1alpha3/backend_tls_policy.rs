//! The deprecated v1alpha3 form of BackendTLSPolicy, kept for existing objects and clients. It has
//! the same spec and status as v1, which backend owners should write instead.

use crd_channels::{ObjectMeta, api};

use crate::v1::{BackendTLSPolicySpec, PolicyStatus};

/// Makes Gateways speak TLS to a backend and check its certificate. This is the deprecated v1alpha3
/// form with the same fields as v1; write v1 instead.
///
/// +kubebuilder:resource:categories=gateway-api,shortName=btlspolicy
/// +kubebuilder:subresource:status
/// +kubebuilder:metadata:labels="gateway.networking.k8s.io/policy=Direct"
/// +kubebuilder:deprecatedversion:warning="BackendTLSPolicy v1alpha3 is on its way out, please move your manifests to gateway.networking.k8s.io/v1."
/// +conformance:feature=BackendTLSPolicy
#[api(group = "gateway.networking.k8s.io", version = "v1alpha3", kind = "BackendTLSPolicy")]
pub struct BackendTLSPolicy {
    /// Name, namespace, labels and annotations of the policy. It can only target backends in its
    /// own namespace; creation time, then name, settle conflicts between policies.
    pub metadata: ObjectMeta,
    /// Which backends are contacted over TLS and how their certificates are verified. Usually
    /// written by the owner of the backend, who knows its certificate.
    pub spec: BackendTLSPolicySpec,
    /// What controllers report back, one entry for each Gateway or other ancestor through which the
    /// policy takes effect. Absent until a controller has looked at it.
    pub status: Option<PolicyStatus>,
}
