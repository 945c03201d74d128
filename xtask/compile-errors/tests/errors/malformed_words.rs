//! Arguments that are one of a few words.

use crd_channels::{ObjectMeta, api};

/// +kubebuilder:resource:scope=Clustr
/// +kubebuilder:printcolumn:name=Age,type=dat,JSONPath=.metadata.creationTimestamp
/// +kubebuilder:validation:XValidation:rule="self.a",reason=Wrong
#[api(group = "things.example.com", version = "v1", kind = "Thing")]
pub struct Thing {
    pub metadata: ObjectMeta,
    pub spec: Spec,
}

/// +structType=atomc
#[api]
pub struct Spec {
    /// +listType=ordered
    pub one: Vec<String>,
    /// +mapType=map
    pub two: std::collections::BTreeMap<String, String>,
    /// +kubebuilder:validation:Type=int
    pub three: i32,
}

fn main() {}
