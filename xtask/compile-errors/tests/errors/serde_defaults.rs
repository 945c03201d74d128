//! Defaults of serde that the schema does not have.

use std::collections::BTreeMap;

use crd_channels::api;

fn three() -> i32 {
    3
}

fn nothing() -> Option<Option<i32>> {
    None
}

#[api]
pub struct Thing {
    /// Without a marker.
    #[serde(default = "three")]
    pub one: i32,
    /// In one channel only.
    ///
    /// +experimental:kubebuilder:default=3
    #[serde(default = "three")]
    pub two: i32,
    /// Required.
    #[serde(default)]
    pub three: i32,
    /// Required, of a type that only the compiler can see.
    #[serde(default)]
    pub four: Named,
    /// Another value than zero.
    ///
    /// +kubebuilder:default=3
    #[serde(default)]
    pub five: i32,
    /// Twice a word about presence.
    ///
    /// +required
    #[serde(default)]
    pub six: Vec<i32>,
    /// Not a path.
    #[serde(default = "3")]
    pub seven: i32,
    /// Null is a value.
    ///
    /// +kubebuilder:default=3
    #[serde(default = "nothing")]
    pub eight: Option<Option<i32>>,
    /// Without a name on the wire.
    #[serde(skip, default = "three")]
    pub nine: i32,
    /// Left out, and required.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub ten: BTreeMap<String, i32>,
    /// Of another type than the function.
    ///
    /// +kubebuilder:default="3"
    #[serde(default = "three")]
    pub other: String,
    /// A list is fine, also behind an alias, and so is an `Option`.
    #[serde(default)]
    pub eleven: List,
    /// So is this.
    #[serde(default)]
    pub twelve: Maybe,
}

type List = Vec<i32>;
/// Maybe a value.
type Maybe = Option<Named>;

/// A struct.
#[api]
#[serde(default = "three")]
pub struct Named {
    pub name: String,
}

fn main() {}
