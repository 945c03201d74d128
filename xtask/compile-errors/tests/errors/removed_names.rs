//! Tombstones and lenses.

use crd_channels::{ObjectMeta, api};

// Tombstones that say too little or stand where nothing can return.

/// +tombstone
/// +tombstone:name=a,removed=v1.0.0
/// +tombstone:name=b,removed=1.0,reason="gone"
/// +tombstone:name=c,removed=v01.0.0,reason="gone"
/// +tombstone:name=d,removed=v1.0.0,reason=" "
/// +tombstone:nmae=e,removed=v1.0.0,reason="gone"
/// +experimental:tombstone:name=f,removed=v1.0.0,reason="gone"
#[api]
pub struct TombstoneMalformed {
    pub one: String,
}

/// +tombstone:name=a,removed=v1.0.0,reason="gone"
#[api]
pub struct Name(String);

// A field with a tombstoned wire name, however it came to it.

/// +tombstone:name=oldName,removed=v1.4.0,reason="renamed",replacement=newName
/// +tombstone:name=gone,removed=v1.3.0-rc.1,reason="it was not used"
#[api]
pub struct TombstonedField {
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

// A flattened struct brings a tombstoned name back, directly or through another one.

/// +tombstone:name=oldName,removed=v1.4.0,reason="renamed",replacement=newName
#[api]
pub struct TombstonedFlattenedName {
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

// A variant with a tombstoned value.

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

// Lenses with wrong operations, arguments and places.

/// +lens:renam:from=a,to=b,since=v1.1.0
/// +lens:rename:from=a,to=b
/// +lens:rename:from=a,since=v1.1.0
/// +lens:rename:from=b,to=c,since=v1.1
/// +lens:rename:from=c,to=d,since=v1.1.0-rc.1,reason=" "
/// +lens:move:from="d[0].e",to=f..g,since=v1.1.0
/// +lens:scale:from=g,to=h,since=v1.1.0
/// +lens:scale:from=h,to=i,multiply=0,divide=4294967296,since=v1.1.0
/// +lens:scale:from=i,to=j,multiply=1.5,since=v1.1.0
/// +lens:values:values={Old: 1},since=v1.1.0
/// +lens:values:values=Old,nearest={},since=v1.1.0
/// +lens:split:from=j,to={k: k},pattern="(?P<k",template="{k}",since=v1.1.0
/// +lens:join:from=k,to=l,pattern="(?P<l>.*)",template="{l}",since=v1.1.0
/// +lens:drop:path=m,since=v1.1.0
/// +lens:resource:since=v1.1.0
/// +experimental:lens:drop:path=n,reason=unused,since=v1.1.0
#[api]
pub struct LensMalformed {
    /// +lens:rename:from=one.two,since=v1.1.0
    /// +lens:move:from=three,since=v1.1.0
    /// +lens:rename:from=four,to=five,since=v1.1.0
    /// +lens:drop:path=six,reason=unused,since=v1.1.0
    pub one: Option<String>,
}

/// A resource.
///
/// +lens:resource:since=v1.1.0
/// +lens:resource:group=example,kind=old,version=1,since=v1.1.0
#[api(group = "example.com", version = "v1", kind = "Root")]
pub struct Root {
    pub metadata: ObjectMeta,
}

/// +lens:values:values={Old: New},since=v1.1.0
#[api]
pub struct LensMalformedName(String);

// A lens is the tombstone of the old name.

/// +tombstone:name=old,removed=v1.1.0,reason="renamed"
/// +lens:drop:path=gone,reason=unused,since=v1.1.0
/// +lens:move:from=inner.deep,to=deep,since=v1.1.0
#[api]
pub struct LensOfANameThatReturns {
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
