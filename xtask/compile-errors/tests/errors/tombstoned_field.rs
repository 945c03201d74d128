//! A field with a tombstoned wire name, however it came to it.

use crd_channels::api;

/// +tombstone:name=oldName,removed=v1.4.0,reason="renamed",replacement=newName
/// +tombstone:name=gone,removed=v1.3.0-rc.1,reason="it was not used"
#[api]
pub struct Thing {
    /// The Rust name in camelCase.
    pub old_name: Option<String>,
    /// A name by hand.
    #[serde(rename = "gone")]
    pub other: Option<String>,
    /// Fine: skipped, so not on the wire.
    #[serde(skip)]
    pub gone: Option<String>,
    /// Fine: the old name is still read.
    #[serde(alias = "oldName")]
    pub new_name: Option<String>,
}

fn main() {}
