//! Conformance features: names that are not valid, duplicates, and parts that cannot have a feature.

use std::collections::BTreeMap;

use crd_channels::{ObjectMeta, api};

/// +conformance:feature=Thing
/// +conformance:feature=Thing
#[api(group = "things.example.com", version = "v1", kind = "Thing")]
pub struct Thing {
    pub metadata: ObjectMeta,
    /// +conformance:feature=Thing-One
    pub one: Option<String>,
    /// +conformance:feature=""
    /// +conformance:feature="Thing Two"
    pub two: Option<String>,
    /// Three: several are fine.
    ///
    /// +conformance:feature=ThingThree
    /// +conformance:feature=ThingThreeAgain
    pub three: Option<BTreeMap<String, String>>,
    /// +experimental:conformance:feature=ThingFour
    pub four: Option<String>,
    /// +conformance:feature
    pub five: Option<String>,
    /// +conformance:feature=A;B
    pub six: Option<String>,
    /// +conformance:feature=ThingMore
    #[serde(flatten)]
    pub more: More,
}

#[api]
pub struct More {
    /// Not in the schema.
    ///
    /// +conformance:feature=ThingSkipped
    #[serde(skip)]
    pub skipped: Option<String>,
}

#[api]
pub enum Choice {
    /// +conformance:feature=Yes
    /// +conformance:feature=Yes
    Yes,
    /// +conformance:feature=Nö
    No,
}

/// An enum with data.
#[api]
pub enum Source {
    /// Its fields.
    ///
    /// +conformance:feature=Inline
    /// +conformance:feature=Inline
    Inline {
        text: String,
    },
    /// A type.
    ///
    /// +conformance:feature=A.B
    More(More),
}

fn main() {}
