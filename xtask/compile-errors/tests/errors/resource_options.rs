//! Groups, versions and kinds that Kubernetes would refuse.

use crd_channels::{ObjectMeta, api};

#[api(group = "things", version = "1", kind = "thing")]
pub struct Thing {
    pub metadata: ObjectMeta,
}

/// Another thing.
#[api(group = "things.Example.com", version = "v1alpha", kind = "Other-Thing")]
pub struct OtherThing {
    pub metadata: ObjectMeta,
}

#[api(group = "things.example.com")]
pub struct ThirdThing {
    pub metadata: ObjectMeta,
}

#[api(group = "things.example.com", version = "v1", kind = "Choice")]
pub enum Choice {
    Yes,
}

fn main() {}
