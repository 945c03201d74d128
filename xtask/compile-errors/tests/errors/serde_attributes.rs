//! serde attributes whose wire form would differ from the schema.

use crd_channels::api;

#[api]
#[serde(deny_unknown_fields, rename_all = "camelcase", tag = "type")]
pub struct Thing {
    #[serde(with = "module", skip_serializing_if = "String::is_empty")]
    pub one: String,
    #[serde(rename(serialize = "a", deserialize = "b"), skip_serializing)]
    pub two: String,
    #[serde(renam = "drei", getter = "get_three")]
    pub three: String,
    #[serde(rename = "vier", rename = "quatre")]
    pub four: String,
    #[serde(flatten, rename = "fuenf")]
    pub five: Inner,
    #[serde(skip, alias = "sechs")]
    pub six: String,
    /// Seven: all fine.
    #[serde(rename = "sieben", alias = "sept", default, skip_serializing_if = "Option::is_none")]
    pub seven: Option<String>,
}

#[api]
#[serde(transparent)]
pub struct Inner {
    pub uno: Option<String>,
}

#[api]
#[serde(untagged, rename_all = "PascalCase")]
pub enum Choice {
    #[serde(other)]
    Yes,
    #[serde(skip)]
    No,
}

fn main() {}
