//! Markers for items on what has none, or other ones.

use crd_channels::api;

#[api]
pub struct Thing {
    /// +kubebuilder:validation:items:MaxLength=3
    pub one: String,
    /// +kubebuilder:validation:items:MaxLength=3
    pub two: Vec<i32>,
    /// +kubebuilder:validation:items:Maximum=3
    pub three: Alias,
    /// +kubebuilder:validation:items:Pattern=`^a`
    pub four: Choice,
    /// +kubebuilder:validation:items:XValidation:rule="self != ''"
    pub five: Inner,
    /// +kubebuilder:validation:items:MaxItems=3
    pub six: Vec<Choice>,
    /// Seven: fine.
    ///
    /// +kubebuilder:validation:items:MaxItems=3
    pub seven: Vec<Alias>,
    /// +kubebuilder:validation:items:Enum=1;2
    pub eight: Vec<String>,
    /// +kubebuilder:validation:items:Enum=Yes;Maybe
    pub nine: Vec<Choice>,
}

/// A list.
pub type Alias = Vec<String>;

#[api]
pub struct Inner {
    pub one: String,
}

#[api]
pub enum Choice {
    Yes,
}

fn main() {}
