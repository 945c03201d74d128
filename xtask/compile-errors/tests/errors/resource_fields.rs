//! What the fields of a resource must be.

use crd_channels::{ObjectMeta, RawExtension, api};

#[api(group = "things.example.com", version = "v1", kind = "Thing")]
pub struct Thing {
    pub spec: String,
}

/// Another thing.
#[api(group = "things.example.com", version = "v1", kind = "OtherThing")]
pub struct OtherThing {
    pub metadata: Option<ObjectMeta>,
    pub kind: String,
    pub api_version: String,
}

#[api(group = "things.example.com", version = "v1", kind = "ThirdThing")]
pub struct ThirdThing {
    pub metadata: RawExtension,
}

fn main() {}
