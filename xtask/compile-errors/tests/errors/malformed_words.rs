//! Arguments that are one of a few words.

use crd_channels::{ObjectMeta, api};

/// A thing.
///
/// +kubebuilder:resource:scope=Clustr
/// +kubebuilder:printcolumn:name=Age,type=dat,JSONPath=.metadata.creationTimestamp
/// +kubebuilder:validation:XValidation:rule="self.a",reason=Wrong
#[api(group = "things.example.com", version = "v1", kind = "Thing")]
pub struct Thing {
    /// Metadata.
    pub metadata: ObjectMeta,
    /// Spec.
    pub spec: Spec,
}

/// A spec.
///
/// +structType=atomc
#[api]
pub struct Spec {
    /// One.
    ///
    /// +listType=ordered
    pub one: Vec<String>,
    /// Two.
    ///
    /// +mapType=map
    pub two: std::collections::BTreeMap<String, String>,
    /// Three.
    ///
    /// +kubebuilder:validation:Type=int
    pub three: i32,
}

fn main() {}
