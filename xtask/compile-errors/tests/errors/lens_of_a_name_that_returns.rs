//! A lens is the tombstone of the old name.

use crd_channels::api;

/// +tombstone:name=old,removed=v1.1.0,reason="renamed"
/// +lens:drop:path=gone,reason=unused,since=v1.1.0
/// +lens:move:from=inner.deep,to=deep,since=v1.1.0
#[api]
pub struct Thing {
    /// +lens:rename:from=old,since=v1.1.0
    pub new: Option<String>,
    /// +lens:rename:from=other,since=v1.1.0
    pub newer: Option<String>,
    /// +lens:rename:from=other,since=v1.2.0
    pub newest: Option<String>,
    pub gone: Option<String>,
    pub other: Option<String>,
    /// Fine: another form in the same place.
    ///
    /// +lens:wrapInList:since=v1.1.0
    pub list: Option<Vec<String>>,
    /// Fine: still read.
    #[serde(alias = "other2")]
    pub inner: Option<String>,
    pub deep: Option<String>,
    #[serde(flatten)]
    pub flat: Flat,
}

/// +lens:rename:from=x,to=y,since=v1.1.0
#[api]
pub struct Flat {
    pub y: Option<String>,
    #[serde(flatten)]
    pub flatter: Flatter,
}

#[api]
pub struct Flatter {
    pub x: Option<String>,
}

/// +lens:values:values={Old: New},since=v1.1.0
#[api]
pub enum Mode {
    Old,
    New,
}

fn main() {}
