//! The same marker twice, under one name or two, with equal or other values.

use crd_channels::api;

/// +tombstone:name=a,removed=v1.0.0,reason="gone"
/// +tombstone:name=a,removed=v1.1.0,reason="gone again"
/// +kubebuilder:validation:XValidation:rule="self == oldSelf"
/// +kubebuilder:validation:XValidation:rule="self == oldSelf"
#[api]
pub struct Thing {
    /// +kubebuilder:validation:MaxLength=3
    /// +kubebuilder:validation:MaxLength=4
    pub one: String,
    /// +optional
    /// +k8s:optional
    pub two: Option<String>,
    /// +kubebuilder:default=1
    /// +default=1
    pub three: Option<i32>,
    /// Four: fine, because no channel has both.
    ///
    /// +standard:kubebuilder:validation:MaxLength=3
    /// +experimental:kubebuilder:validation:MaxLength=4
    pub four: String,
    /// +kubebuilder:validation:MaxLength=3
    /// +experimental:kubebuilder:validation:MaxLength=4
    pub five: String,
    /// Six: fine, because one is for the list and one for its items.
    ///
    /// +kubebuilder:validation:MaxItems=3
    /// +kubebuilder:validation:items:MaxLength=3
    pub six: Vec<String>,
}

/// +experimental
/// +experimental
#[api]
pub enum Choice {
    /// +experimental
    /// +experimental
    Yes,
}

fn main() {}
