//! Options of `#[api(…)]`, fields of resources, and conformance features.

use std::collections::BTreeMap;

use crd_channels::{ObjectMeta, RawExtension, api};

// What the fields of a resource must be.

#[api(group = "things.example.com", version = "v1", kind = "Thing")]
pub struct ResourceFields {
    pub spec: String,
}

/// Another thing.
#[api(group = "things.example.com", version = "v1", kind = "OtherThing")]
pub struct OtherThing {
    pub metadata: Option<ObjectMeta>,
    pub kind: String,
    pub api_version: String,
}

#[api(group = "things.example.com", version = "v1", kind = "ThirdThing")]
pub struct ThirdThing {
    pub metadata: RawExtension,
}

// Groups, versions and kinds that Kubernetes would refuse.

#[api(group = "things", version = "1", kind = "thing")]
pub struct ResourceOptions {
    pub metadata: ObjectMeta,
}

/// Another thing.
#[api(group = "things.Example.com", version = "V1alpha", kind = "Other-Thing")]
pub struct ResourceOptionsOtherThing {
    pub metadata: ObjectMeta,
}

#[api(group = "things.example.com")]
pub struct ResourceOptionsThirdThing {
    pub metadata: ObjectMeta,
}

#[api(group = "things.example.com", version = "v1", kind = "Choice")]
pub enum Choice {
    Yes,
}

// Options of `#[api(…)]` that do not exist, stand twice, or are misplaced.

#[api(grup = "things.example.com", colour = "red", versoin(v1), kind = "Thing", kind = "Thing")]
pub struct UnknownOption {
    pub metadata: ObjectMeta,
    #[api(foriegn)]
    pub one: String,
    #[api(group = "things.example.com")]
    pub two: String,
    #[api]
    pub three: String,
}

#[api]
#[api(open)]
pub enum UnknownOptionChoice {
    #[api(foreign)]
    Yes,
}

#[api(open)]
pub struct Name(String);

// Conformance features: names that are not valid, duplicates, and parts that cannot have a feature.

/// +conformance:feature=Thing
/// +conformance:feature=Thing
#[api(group = "things.example.com", version = "v1", kind = "Thing")]
pub struct ConformanceFeature {
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
pub enum ConformanceFeatureChoice {
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
