//! The field of a newtype has no markers and no attributes of its own.

use crd_channels::api;

#[api]
pub struct Name(
    /// Text.
    ///
    /// +kubebuilder:validation:MaxLength=3
    pub String,
);

/// Another name.
#[api]
pub struct Other(#[serde(rename = "name")] pub String);

/// A third name.
#[api]
pub struct Third(#[api(foreign)] pub String);

fn main() {}
