//! Markers of fields and resources on a type.

use crd_channels::api;

/// +optional
/// +kubebuilder:default={}
/// +kubebuilder:resource:categories=things
#[api]
pub struct Thing {
    pub one: String,
}

/// +nullable
/// +k8s:immutable
#[api]
pub struct Name(String);

/// +kubebuilder:example=Yes
#[api]
pub enum Choice {
    Yes,
}

fn main() {}
