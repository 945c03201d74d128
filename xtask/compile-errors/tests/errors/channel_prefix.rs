//! Channels before markers: misspelt, alone, before nothing, before another channel, where Rust has spoken.

use crd_channels::api;

/// A thing.
#[api]
pub struct Thing {
    /// One.
    ///
    /// +exprimental:kubebuilder:validation:MaxLength=3
    pub one: String,
    /// Two.
    ///
    /// +standard
    pub two: String,
    /// Three.
    ///
    /// +experimental:
    pub three: String,
    /// Four.
    ///
    /// +standard:experimental:kubebuilder:validation:MaxLength=3
    pub four: String,
    /// Five.
    ///
    /// +experimental:optional
    pub five: Option<String>,
    /// Six.
    ///
    /// +standard:experimental
    pub six: Option<String>,
    /// Seven.
    ///
    /// +experimental:kubebuilder:validation:MaxLenght=3
    pub seven: String,
}

fn main() {}
