//! Markers of fields on the type of a resource.

use crd_channels::{ObjectMeta, api};

/// +required
/// +kubebuilder:default={}
#[api(group = "things.example.com", version = "v1", kind = "Thing")]
pub struct Thing {
    pub metadata: ObjectMeta,
}

fn main() {}
