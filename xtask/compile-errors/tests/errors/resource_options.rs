//! Groups, versions and kinds that Kubernetes would refuse.

use crd_channels::{ObjectMeta, api};

/// A thing.
#[api(group = "things", version = "1", kind = "thing")]
pub struct Thing {
    /// Metadata.
    pub metadata: ObjectMeta,
}

/// Another thing.
#[api(group = "things.Example.com", version = "v1alpha", kind = "Other-Thing")]
pub struct OtherThing {
    /// Metadata.
    pub metadata: ObjectMeta,
}

/// A third thing.
#[api(group = "things.example.com")]
pub struct ThirdThing {
    /// Metadata.
    pub metadata: ObjectMeta,
}

/// A choice.
#[api(group = "things.example.com", version = "v1", kind = "Choice")]
pub enum Choice {
    /// Yes.
    Yes,
}

fn main() {}
