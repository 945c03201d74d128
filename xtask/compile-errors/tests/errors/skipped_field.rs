//! A skipped field is not part of the schema.

use crd_channels::api;

#[api]
pub struct Thing {
    /// +kubebuilder:validation:MaxLength=3
    /// +experimental
    #[serde(skip)]
    pub one: String,
    #[serde(skip, flatten)]
    pub two: Inner,
}

#[api]
pub struct Inner {
    pub one: Option<String>,
}

fn main() {}
