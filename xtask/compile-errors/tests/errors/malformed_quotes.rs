//! Strings that never end, and escapes that Go does not know.

use crd_channels::api;

/// A thing.
///
/// +kubebuilder:validation:XValidation:rule="self.a == 'b'
#[api]
pub struct Thing {
    /// One.
    ///
    /// +kubebuilder:default="open
    pub one: String,
    /// Two.
    ///
    /// +kubebuilder:validation:Pattern="^\d+$"
    pub two: String,
    /// Three.
    ///
    /// +kubebuilder:default="a" b
    pub three: String,
    /// Four.
    ///
    /// +kubebuilder:default="\u12"
    pub four: String,
}

fn main() {}
