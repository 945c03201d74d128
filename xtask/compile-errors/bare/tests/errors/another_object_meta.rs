//! A type that is called ObjectMeta, and is not Kubernetes' own.

use crd_channels::api;

#[api(group = "things.example.com", version = "v1", kind = "Thing")]
pub struct Thing {
    pub metadata: ObjectMeta,
}

/// Metadata.
#[api]
pub struct ObjectMeta {
    pub name: Option<String>,
}

fn main() {}
