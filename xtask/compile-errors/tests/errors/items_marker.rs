//! Markers for items on what has none, or other ones.

use crd_channels::api;

/// A thing.
#[api]
pub struct Thing {
    /// One.
    ///
    /// +kubebuilder:validation:items:MaxLength=3
    pub one: String,
    /// Two.
    ///
    /// +kubebuilder:validation:items:MaxLength=3
    pub two: Vec<i32>,
    /// Three.
    ///
    /// +kubebuilder:validation:items:Maximum=3
    pub three: Alias,
    /// Four.
    ///
    /// +kubebuilder:validation:items:Pattern=`^a`
    pub four: Choice,
    /// Five.
    ///
    /// +kubebuilder:validation:items:XValidation:rule="self != ''"
    pub five: Inner,
    /// Six.
    ///
    /// +kubebuilder:validation:items:MaxItems=3
    pub six: Vec<Choice>,
    /// Seven: fine.
    ///
    /// +kubebuilder:validation:items:MaxItems=3
    pub seven: Vec<Alias>,
    /// Eight.
    ///
    /// +kubebuilder:validation:items:Enum=1;2
    pub eight: Vec<String>,
    /// Nine.
    ///
    /// +kubebuilder:validation:items:Enum=Yes;Maybe
    pub nine: Vec<Choice>,
}

/// A list.
pub type Alias = Vec<String>;

/// Inner.
#[api]
pub struct Inner {
    /// One.
    pub one: String,
}

/// A choice.
#[api]
pub enum Choice {
    /// Yes.
    Yes,
}

fn main() {}
