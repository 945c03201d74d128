//! A minimum above a maximum.

use crd_channels::api;

#[api]
pub struct Thing {
    /// +kubebuilder:validation:Minimum=10
    /// +kubebuilder:validation:Maximum=9
    pub one: i32,
    /// +kubebuilder:validation:MaxLength=1
    /// +kubebuilder:validation:MinLength=2
    pub two: String,
    /// +kubebuilder:validation:items:MinLength=2
    /// +kubebuilder:validation:items:MaxLength=1
    /// +kubebuilder:validation:MinItems=4
    /// +kubebuilder:validation:MaxItems=3
    pub three: Vec<String>,
    /// Four: fine, because no channel has both.
    ///
    /// +standard:kubebuilder:validation:Minimum=10
    /// +experimental:kubebuilder:validation:Maximum=9
    pub four: i32,
    /// +kubebuilder:validation:Minimum=10
    /// +experimental:kubebuilder:validation:Maximum=9
    pub five: i32,
    /// +kubebuilder:validation:Minimum=0.5
    pub six: i32,
    /// +kubebuilder:validation:MultipleOf=0.1
    pub seven: Option<u64>,
}

/// +kubebuilder:validation:MinLength=3
/// +kubebuilder:validation:MaxLength=2
#[api]
pub struct Name(String);

/// +kubebuilder:validation:MinProperties=3
/// +kubebuilder:validation:MaxProperties=2
#[api]
pub struct Map {
    pub one: Option<String>,
}

fn main() {}
