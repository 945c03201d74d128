//! Values of another kind than the marker takes.

use crd_channels::{AnyJson, api};

/// A thing.
#[api]
pub struct Thing {
    /// One.
    ///
    /// +kubebuilder:validation:MaxLength
    pub one: String,
    /// Two.
    ///
    /// +kubebuilder:validation:MaxLength=many
    pub two: String,
    /// Three.
    ///
    /// +kubebuilder:validation:MaxLength=-1
    pub three: String,
    /// Four.
    ///
    /// +kubebuilder:validation:MaxLength:3
    pub four: String,
    /// Five.
    ///
    /// +optional=true
    pub five: Option<String>,
    /// Six.
    ///
    /// +kubebuilder:validation:ExclusiveMinimum=yes
    pub six: i32,
    /// Seven.
    ///
    /// +kubebuilder:validation:Minimum=1O
    pub seven: i32,
    /// Eight.
    ///
    /// +kubebuilder:validation:Enum={a,b} c
    pub eight: String,
    /// Nine.
    ///
    /// +kubebuilder:validation:Enum=a;;b
    pub nine: String,
    /// Ten.
    ///
    /// +kubebuilder:validation:Pattern=
    pub ten: String,
    /// Eleven.
    ///
    /// +optional because it need not be there
    pub eleven: Option<String>,
    /// Twelve.
    ///
    /// +kubebuilder:default={a: 1, a: 2}
    pub twelve: AnyJson,
}

fn main() {}
