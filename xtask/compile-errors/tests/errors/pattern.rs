//! Patterns that API servers cannot read.

use crd_channels::api;

#[api]
pub struct Thing {
    /// +kubebuilder:validation:Pattern=`^(?!a)b$`
    pub one: String,
    /// +kubebuilder:validation:Pattern=`^(a`
    pub two: String,
    /// +kubebuilder:validation:items:Pattern=`^(a)\1$`
    pub three: Vec<String>,
    /// +kubebuilder:validation:Pattern="a{1001}"
    pub four: String,
}

/// +kubebuilder:validation:Pattern=[z-a]
#[api]
pub struct Name(String);

fn main() {}
