//! Channels before markers: misspelt, alone, before nothing, before another channel, where Rust has spoken.

use crd_channels::api;

#[api]
pub struct Thing {
    /// +exprimental:kubebuilder:validation:MaxLength=3
    pub one: String,
    /// +standard
    pub two: String,
    /// +experimental:
    pub three: String,
    /// +standard:experimental:kubebuilder:validation:MaxLength=3
    pub four: String,
    /// +experimental:optional
    pub five: Option<String>,
    /// +standard:experimental
    pub six: Option<String>,
    /// +experimental:kubebuilder:validation:MaxLenght=3
    pub seven: String,
}

fn main() {}
