//! Strings that never end, and escapes that Go does not know.

use crd_channels::api;

/// +kubebuilder:validation:XValidation:rule="self.a == 'b'
#[api]
pub struct Thing {
    /// +kubebuilder:default="open
    pub one: String,
    /// +kubebuilder:validation:Pattern="^\d+$"
    pub two: String,
    /// +kubebuilder:default="a" b
    pub three: String,
    /// +kubebuilder:default="\u12"
    pub four: String,
}

fn main() {}
