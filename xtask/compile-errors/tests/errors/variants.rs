//! Variants that have a number, take the name of the macro's own, or hold data without a wire form.

use crd_channels::{AnyJson, api};

/// A choice.
#[api]
pub enum Choice {
    /// Yes.
    ///
    /// +exprimental
    Yes(String),
    /// No.
    No {
        /// Why.
        ///
        /// +kubebuilder:validation:MaxLenght=3
        why: String,
    },
    /// Maybe.
    Maybe,
    /// Two of them.
    Both(String, i32),
    /// Perhaps.
    Perhaps(Option<String>),
    /// Unrecognised.
    Unrecognized(String),
}

/// Another one.
#[api]
pub enum Other {
    /// One.
    One = 1,
    /// Unrecognised.
    Unrecognized,
    /// Two.
    ///
    /// +tombstone:name=a,removed=v1.0.0,reason="unused"
    Two,
}

/// A value may be here.
type Perhaps = Option<Named>;

/// A struct.
#[api]
pub struct Named {
    /// A name.
    pub name: String,
    /// A kind.
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
    /// Foreign.
    Foreign(#[api(foreign)] AnyJson),
    /// Hidden.
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
    /// Text.
    Text(String),
    /// A field with the name of the tag.
    Named(Named),
    /// A field with the name of the tag.
    Written {
        /// A kind.
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
    /// One.
    ///
    /// +experimental
    One,
}

/// Attributes of enums.
#[api]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub struct NoEnum {
    /// A field.
    #[serde(tag = "a")]
    pub field: String,
}

/// A user of them.
#[api]
pub struct User {
    /// One.
    pub choice: Choice,
    /// Two.
    pub other: Option<Other>,
    /// Three.
    #[serde(flatten)]
    pub tagged: Tagged,
    /// Four.
    ///
    /// +kubebuilder:validation:MaxLength=3
    pub attributes: Attributes,
}

fn main() {}
