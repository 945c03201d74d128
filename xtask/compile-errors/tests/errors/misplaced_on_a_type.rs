//! Markers of fields and resources on a type.

use crd_channels::api;

/// A thing.
///
/// +optional
/// +kubebuilder:default={}
/// +kubebuilder:resource:categories=things
#[api]
pub struct Thing {
    /// One.
    pub one: String,
}

/// A name.
///
/// +nullable
/// +k8s:immutable
#[api]
pub struct Name(String);

/// A choice.
///
/// +kubebuilder:example=Yes
#[api]
pub enum Choice {
    /// Yes.
    Yes,
}

fn main() {}
