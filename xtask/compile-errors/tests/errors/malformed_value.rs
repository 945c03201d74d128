//! Values of another kind than the marker takes.

use crd_channels::{AnyJson, api};

#[api]
pub struct Thing {
    /// +kubebuilder:validation:MaxLength
    pub one: String,
    /// +kubebuilder:validation:MaxLength=many
    pub two: String,
    /// +kubebuilder:validation:MaxLength=-1
    pub three: String,
    /// +kubebuilder:validation:MaxLength:3
    pub four: String,
    /// +optional=true
    pub five: Option<String>,
    /// +kubebuilder:validation:ExclusiveMinimum=yes
    pub six: i32,
    /// +kubebuilder:validation:Minimum=1O
    pub seven: i32,
    /// +kubebuilder:validation:Enum={a,b} c
    pub eight: String,
    /// +kubebuilder:validation:Enum=a;;b
    pub nine: String,
    /// +kubebuilder:validation:Pattern=
    pub ten: String,
    /// +optional because it need not be there
    pub eleven: Option<String>,
    /// +kubebuilder:default={a: 1, a: 2}
    pub twelve: AnyJson,
}

fn main() {}
