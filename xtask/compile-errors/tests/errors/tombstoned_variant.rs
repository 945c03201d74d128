//! A variant with a tombstoned value.

use crd_channels::api;

/// +tombstone:name=Maybe,removed=v1.4.0,reason="its meaning was unclear"
/// +tombstone:name=never,removed=v1.4.0,reason="never used"
#[api]
pub enum Choice {
    Yes,
    Maybe,
    /// Never.
    #[serde(rename = "never")]
    Not,
}

fn main() {}
