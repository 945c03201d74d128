//! Only `+experimental` is allowed on a variant.

use crd_channels::api;

#[api]
pub enum Choice {
    /// +optional
    Yes,
    /// +kubebuilder:validation:MaxLength=3
    No,
    /// +tombstone:name=Perhaps,removed=v1.0.0,reason="gone"
    Maybe,
    /// +kubebuilder:storageversion
    Never,
    /// Known.
    ///
    /// +experimental
    Always,
}

fn main() {}
