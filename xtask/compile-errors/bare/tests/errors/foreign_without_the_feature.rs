//! A foreign type needs schemars, which is a feature.

use crd_channels::api;

#[api]
pub struct Thing {
    /// +kubebuilder:validation:MaxLength=3
    #[api(foreign)]
    pub one: Plain,
}

/// Of another crate.
pub struct Plain;

fn main() {}
