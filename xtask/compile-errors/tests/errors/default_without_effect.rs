//! Defaults that would do nothing.

use crd_channels::api;

/// A thing.
#[api]
pub struct Thing {
    /// One.
    ///
    /// +kubebuilder:default=null
    pub one: Option<String>,
    /// Two.
    ///
    /// +default=ref(DefaultTwo)
    pub two: String,
    /// Three.
    #[serde(default = "three")]
    pub three: String,
}

fn main() {}
