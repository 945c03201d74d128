//! A flattened struct brings a tombstoned name back, directly or through another one.

use crd_channels::api;

/// +tombstone:name=oldName,removed=v1.4.0,reason="renamed",replacement=newName
#[api]
pub struct Thing {
    #[serde(flatten)]
    pub inner: Inner,
}

#[api]
pub struct Inner {
    #[serde(flatten)]
    pub innermost: Innermost,
}

#[api]
pub struct Innermost {
    /// Old.
    pub old_name: Option<String>,
}

fn main() {}
