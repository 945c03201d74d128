//! {{ kind }}, version {{ api_version }}.

use crd_channels::{Condition, ObjectMeta, api};

/// A {{ kind }}. The spec describes it, and the status reports what a controller observed.
///
/// +kubebuilder:subresource:status
/// +kubebuilder:printcolumn:name=Replicas,type=integer,JSONPath=`.spec.replicas`
/// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=`.metadata.creationTimestamp`
{{ attribute }}
pub struct {{ root }} {
    /// Standard object metadata.
    pub metadata: ObjectMeta,
    /// The desired state.
    pub spec: {{ root }}Spec,
    /// The observed state.
    pub status: Option<{{ root }}Status>,
}

/// The desired state of a {{ kind }}.
#[api]
pub struct {{ root }}Spec {
    /// How many copies there are.
    ///
    /// +kubebuilder:default=1
    /// +kubebuilder:validation:Minimum=0
    pub replicas: Option<i32>,
{{ experimental }}}

/// The observed state of a {{ kind }}.
#[api]
pub struct {{ root }}Status {
    /// The latest conditions.
    ///
    /// +listType=map
    /// +listMapKey=type
    /// +kubebuilder:validation:MaxItems=8
    pub conditions: Option<Vec<Condition>>,
}
