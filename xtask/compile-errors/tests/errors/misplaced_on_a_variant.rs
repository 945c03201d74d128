//! Only `+experimental` is allowed on a variant.

use crd_channels::api;

/// A choice.
#[api]
pub enum Choice {
    /// Yes.
    ///
    /// +optional
    Yes,
    /// No.
    ///
    /// +kubebuilder:validation:MaxLength=3
    No,
    /// Maybe.
    ///
    /// +tombstone:name=Perhaps,removed=v1.0.0,reason="gone"
    Maybe,
    /// Never.
    ///
    /// +kubebuilder:storageversion
    Never,
    /// Known.
    ///
    /// +experimental
    Always,
}

fn main() {}
