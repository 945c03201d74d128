//! Markers of types and resources on a field.

use crd_channels::api;

/// A thing.
#[api]
pub struct Thing {
    /// One.
    ///
    /// +kubebuilder:storageversion
    pub one: String,
    /// Two.
    ///
    /// +kubebuilder:validation:AtMostOneOf=a;b
    pub two: String,
    /// Three.
    ///
    /// +tombstone:name=four,removed=v1.0.0,reason="gone"
    pub three: String,
    /// Four.
    ///
    /// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
    pub five: String,
}

fn main() {}
