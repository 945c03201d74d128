//! Tombstones that say too little or stand where nothing can return.

use crd_channels::api;

/// +tombstone
/// +tombstone:name=a,removed=v1.0.0
/// +tombstone:name=b,removed=1.0,reason="gone"
/// +tombstone:name=c,removed=v01.0.0,reason="gone"
/// +tombstone:name=d,removed=v1.0.0,reason=" "
/// +tombstone:nmae=e,removed=v1.0.0,reason="gone"
/// +experimental:tombstone:name=f,removed=v1.0.0,reason="gone"
#[api]
pub struct Thing {
    pub one: String,
}

/// +tombstone:name=a,removed=v1.0.0,reason="gone"
#[api]
pub struct Name(String);

fn main() {}
