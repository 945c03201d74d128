//! A type that is called ObjectMeta, and is not Kubernetes' own.

use crd_channels::api;

/// A thing.
#[api(group = "things.example.com", version = "v1", kind = "Thing")]
pub struct Thing {
    /// Metadata.
    pub metadata: ObjectMeta,
}

/// Metadata.
#[api]
pub struct ObjectMeta {
    /// The name.
    pub name: Option<String>,
}

fn main() {}
