//! Patterns that API servers cannot read.

use crd_channels::api;

/// A thing.
#[api]
pub struct Thing {
    /// One.
    ///
    /// +kubebuilder:validation:Pattern=`^(?!a)b$`
    pub one: String,
    /// Two.
    ///
    /// +kubebuilder:validation:Pattern=`^(a`
    pub two: String,
    /// Three.
    ///
    /// +kubebuilder:validation:items:Pattern=`^(a)\1$`
    pub three: Vec<String>,
    /// Four.
    ///
    /// +kubebuilder:validation:Pattern="a{1001}"
    pub four: String,
}

/// A name.
///
/// +kubebuilder:validation:Pattern=[z-a]
#[api]
pub struct Name(String);

fn main() {}
