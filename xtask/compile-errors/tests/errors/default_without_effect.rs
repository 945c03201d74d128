//! Defaults that would do nothing.

use crd_channels::api;

#[api]
pub struct Thing {
    /// +kubebuilder:default=null
    pub one: Option<String>,
    /// +default=ref(DefaultTwo)
    pub two: String,
    #[serde(default = "three")]
    pub three: String,
}

fn main() {}
