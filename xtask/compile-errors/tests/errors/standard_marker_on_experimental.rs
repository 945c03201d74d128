//! A marker for a channel in which the thing does not exist.

use crd_channels::api;

#[api]
pub struct Thing {
    /// +experimental
    /// +standard:kubebuilder:validation:MaxLength=3
    pub one: Option<String>,
}

/// An experimental thing.
///
/// +experimental
/// +standard:structType=atomic
#[api]
pub struct Experimental {
    /// +standard:kubebuilder:validation:MaxLength=3
    pub one: Option<String>,
}

fn main() {}
