//! The experimental XBackendTrafficPolicy resource: a retry budget and session persistence for all
//! traffic to a backend, whichever route it comes through. Application owners write it next to
//! their Services; controllers enforce it in the data plane.

use crd_channels::{ObjectMeta, api};

use crate::v1::{Duration, LocalPolicyTargetReference, PolicyStatus, SessionPersistence};

/// Sets limits on retries and session persistence for traffic to a backend, across all routes that
/// use it. Experimental: the API may change incompatibly or vanish.
///
/// +experimental
/// +kubebuilder:resource:categories=gateway-api,shortName=xbtrafficpolicy
/// +kubebuilder:subresource:status
/// +kubebuilder:metadata:labels="gateway.networking.k8s.io/policy=Direct"
/// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=".metadata.creationTimestamp"
/// +lens:resource:group="gateway.networking.k8s.io",kind=BackendLBPolicy,version=v1alpha2,since=v1.3.0
#[api(group = "gateway.networking.x-k8s.io", version = "v1alpha1", kind = "XBackendTrafficPolicy")]
pub struct XBackendTrafficPolicy {
    /// Name, namespace, labels and annotations of the policy. It can only target backends in its
    /// own namespace.
    pub metadata: ObjectMeta,
    /// Which backends the policy covers and what it asks for. Usually written by the owner of the
    /// backend, who knows how much load it can bear.
    pub spec: BackendTrafficPolicySpec,
    /// What controllers report back, one entry for each Gateway or other ancestor through which the
    /// policy takes effect. Absent until a controller has looked at it.
    pub status: Option<PolicyStatus>,
}

/// Desired configuration of an XBackendTrafficPolicy: its targets and, each optional, a retry
/// budget and session persistence.
#[api]
pub struct BackendTrafficPolicySpec {
    /// Backends the policy covers, 1 to 16 different objects in its namespace, such as Services. A
    /// target counts as a whole; the policy cannot be limited to one of its ports.
    ///
    /// +listType=map
    /// +listMapKey=group
    /// +listMapKey=kind
    /// +listMapKey=name
    /// +kubebuilder:validation:MinItems=1
    /// +kubebuilder:validation:MaxItems=16
    pub target_refs: Vec<LocalPolicyTargetReference>,
    /// Caps retries to the targets so that they cannot add up to an overload; retries beyond the
    /// cap are not sent. It starts no retries by itself, that is up to the routes. When absent,
    /// this policy sets no cap.
    ///
    /// +experimental
    pub retry_constraint: Option<RetryConstraint>,
    /// Keeps sending the requests of one client session to the same endpoint of the target.
    /// Settings on a route rule win over it. When absent, this policy asks for no persistence.
    pub session_persistence: Option<SessionPersistence>,
}

/// A budget that limits retries in proportion to the traffic, together with a floor that remains
/// available when traffic is low.
#[api]
pub struct RetryConstraint {
    /// Share of requests that may be retries, and the time window over which it is measured.
    /// Defaults to 20 percent over 10 seconds; once it is used up, only minRetryRate permits more.
    ///
    /// +kubebuilder:default={percent: 20, interval: "10s"}
    pub budget: Option<BudgetDetails>,
    /// Rate of retries that is always allowed, even with the budget used up, so that quiet backends
    /// can be retried too. Defaults to 10 per second.
    ///
    /// +kubebuilder:default={count: 10, interval: "1s"}
    pub min_retry_rate: Option<RequestRate>,
}

/// Size of a retry budget: a percentage of the requests seen in a sliding span of time.
#[api]
pub struct BudgetDetails {
    /// How many of 100 requests in the interval may be retries, from 0 to 100; 20 by default. With
    /// 0, only the retries that minRetryRate guarantees remain.
    ///
    /// +kubebuilder:default=20
    /// +kubebuilder:validation:Minimum=0
    /// +kubebuilder:validation:Maximum=100
    pub percent: Option<isize>,
    /// Length of the window in which requests are counted for the budget, from 1s to 1h; 10s by
    /// default. A short one reacts faster, a long one evens out bursts.
    ///
    /// +kubebuilder:default="10s"
    /// +kubebuilder:validation:XValidation:message="interval cannot be greater than one hour or less than one second",rule="!(duration(self) < duration('1s') || duration(self) > duration('1h'))"
    pub interval: Option<Duration>,
}

/// A number of requests per span of time, such as 10 per second.
#[api]
pub struct RequestRate {
    /// Number of requests in each interval, from 1 to 1000000. If only the interval is written, no
    /// value is filled in here and the implementation has to choose.
    ///
    /// +kubebuilder:validation:Minimum=1
    /// +kubebuilder:validation:Maximum=1000000
    pub count: Option<isize>,
    /// Span of time that count refers to, above zero and at most 1h. If only count is written, no
    /// value is filled in here and the implementation has to choose.
    ///
    /// +kubebuilder:validation:XValidation:message="interval cannot be greater than one hour",rule="!(duration(self) == duration('0s') || duration(self) > duration('1h'))"
    pub interval: Option<Duration>,
}
