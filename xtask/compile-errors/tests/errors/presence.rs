//! Markers that contradict the Rust type, also through an alias.

use crd_channels::api;

#[api]
pub struct Thing {
    /// +optional
    pub one: String,
    /// +required
    pub two: Option<String>,
    /// +kubebuilder:validation:Optional
    pub three: Always,
    /// +k8s:required
    pub four: Sometimes,
    /// Five: fine, all of them.
    ///
    /// +optional
    pub five: Sometimes,
    /// +required
    pub six: Always,
    /// +optional
    pub seven: Vec<String>,
}

/// A text.
pub type Always = String;

/// Maybe a text.
pub type Sometimes = Option<String>;

fn main() {}
