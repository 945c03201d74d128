//! A flattened struct brings a tombstoned name back, directly or through another one.

use crd_channels::api;

/// A thing.
///
/// +tombstone:name=oldName,removed=v1.4.0,reason="renamed",replacement=newName
#[api]
pub struct Thing {
    /// Inner.
    #[serde(flatten)]
    pub inner: Inner,
}

/// Inner.
#[api]
pub struct Inner {
    /// Innermost.
    #[serde(flatten)]
    pub innermost: Innermost,
}

/// Innermost.
#[api]
pub struct Innermost {
    /// Old.
    pub old_name: Option<String>,
}

fn main() {}
