//! Markers that contradict the Rust type, also through an alias.

use crd_channels::api;

/// A thing.
#[api]
pub struct Thing {
    /// One.
    ///
    /// +optional
    pub one: String,
    /// Two.
    ///
    /// +required
    pub two: Option<String>,
    /// Three.
    ///
    /// +kubebuilder:validation:Optional
    pub three: Always,
    /// Four.
    ///
    /// +k8s:required
    pub four: Sometimes,
    /// Five: fine, all of them.
    ///
    /// +optional
    pub five: Sometimes,
    /// Six.
    ///
    /// +required
    pub six: Always,
    /// Seven.
    ///
    /// +optional
    pub seven: Vec<String>,
}

/// A text.
pub type Always = String;

/// Maybe a text.
pub type Sometimes = Option<String>;

fn main() {}
