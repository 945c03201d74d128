//! What the fields of a resource must be.

use crd_channels::{ObjectMeta, RawExtension, api};

/// A thing.
#[api(group = "things.example.com", version = "v1", kind = "Thing")]
pub struct Thing {
    /// Spec.
    pub spec: String,
}

/// Another thing.
#[api(group = "things.example.com", version = "v1", kind = "OtherThing")]
pub struct OtherThing {
    /// Metadata.
    pub metadata: Option<ObjectMeta>,
    /// Kind.
    pub kind: String,
    /// API version.
    pub api_version: String,
}

/// A third thing.
#[api(group = "things.example.com", version = "v1", kind = "ThirdThing")]
pub struct ThirdThing {
    /// Metadata.
    pub metadata: RawExtension,
}

fn main() {}
