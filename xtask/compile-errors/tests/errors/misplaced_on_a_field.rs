//! Markers of types and resources on a field.

use crd_channels::api;

#[api]
pub struct Thing {
    /// +kubebuilder:storageversion
    pub one: String,
    /// +kubebuilder:validation:AtMostOneOf=a;b
    pub two: String,
    /// +tombstone:name=four,removed=v1.0.0,reason="gone"
    pub three: String,
    /// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
    pub five: String,
}

fn main() {}
