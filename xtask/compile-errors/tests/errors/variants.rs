//! Variants that have a number, take the name of the macro's own, or hold data without a wire form.

use crd_channels::{AnyJson, api};

#[api]
pub enum Choice {
    /// +exprimental
    Yes(String),
    No {
        /// +kubebuilder:validation:MaxLenght=3
        why: String,
    },
    Maybe,
    /// Two of them.
    Both(String, i32),
    Perhaps(Option<String>),
    /// Unrecognised.
    Unrecognized(String),
}

/// Another one.
#[api]
pub enum Other {
    One = 1,
    /// Unrecognised.
    Unrecognized,
    /// +tombstone:name=a,removed=v1.0.0,reason="unused"
    Two,
}

/// A value may be here.
type Perhaps = Option<Named>;

/// A struct.
#[api]
pub struct Named {
    pub name: String,
    pub kind: String,
}

/// Data of any kind.
#[api(open)]
#[serde(rename_all_fields = "lowercase")]
pub enum Attributes {
    /// Markers.
    Marked(
        /// +kubebuilder:validation:MaxLength=3
        String,
    ),
    /// Names.
    Renamed(#[serde(rename = "x")] String),
    Foreign(#[api(foreign)] AnyJson),
    Hidden(Perhaps),
    /// Tombstones.
    ///
    /// +tombstone:name=a,removed=v1.0.0,reason="unused"
    Tombstoned(Named),
}

/// With a tag.
///
/// +tombstone:name=Gone,removed=v1.0.0,reason="unused"
#[api]
#[serde(tag = "kind")]
pub enum Tagged {
    Text(String),
    /// A field with the name of the tag.
    Named(Named),
    /// A field with the name of the tag.
    Written {
        kind: String,
    },
    /// A name that is taken.
    #[serde(rename = "Written")]
    Again,
    /// A removed name.
    Gone,
}

/// Only in experimental.
#[api]
#[serde(tag = "")]
pub enum Experimental {
    /// +experimental
    One,
}

/// Attributes of enums.
#[api]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub struct NoEnum {
    #[serde(tag = "a")]
    pub field: String,
}

/// A user of them.
#[api]
pub struct User {
    pub choice: Choice,
    pub other: Option<Other>,
    #[serde(flatten)]
    pub tagged: Tagged,
    /// +kubebuilder:validation:MaxLength=3
    pub attributes: Attributes,
}

fn main() {}
