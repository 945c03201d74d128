//! serde attributes whose wire form would differ from the schema.

use crd_channels::api;

/// A thing.
#[api]
#[serde(deny_unknown_fields, rename_all = "camelcase", tag = "type")]
pub struct Thing {
    /// One.
    #[serde(with = "module", skip_serializing_if = "String::is_empty")]
    pub one: String,
    /// Two.
    #[serde(rename(serialize = "a", deserialize = "b"), skip_serializing)]
    pub two: String,
    /// Three.
    #[serde(renam = "drei", getter = "get_three")]
    pub three: String,
    /// Four.
    #[serde(rename = "vier", rename = "quatre")]
    pub four: String,
    /// Five.
    #[serde(flatten, rename = "fuenf")]
    pub five: Inner,
    /// Six.
    #[serde(skip, alias = "sechs")]
    pub six: String,
    /// Seven: all fine.
    #[serde(rename = "sieben", alias = "sept", default, skip_serializing_if = "Option::is_none")]
    pub seven: Option<String>,
}

/// Inner.
#[api]
#[serde(transparent)]
pub struct Inner {
    /// One.
    pub uno: Option<String>,
}

/// A choice.
#[api]
#[serde(untagged, rename_all = "PascalCase")]
pub enum Choice {
    /// Yes.
    #[serde(other)]
    Yes,
    /// No.
    #[serde(skip)]
    No,
}

fn main() {}
