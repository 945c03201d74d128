//! A skipped field is not part of the schema.

use crd_channels::api;

/// A thing.
#[api]
pub struct Thing {
    /// One.
    ///
    /// +kubebuilder:validation:MaxLength=3
    /// +experimental
    #[serde(skip)]
    pub one: String,
    /// Two.
    #[serde(skip, flatten)]
    pub two: Inner,
}

/// Inner.
#[api]
pub struct Inner {
    /// One.
    pub one: Option<String>,
}

fn main() {}
