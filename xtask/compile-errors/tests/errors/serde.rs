//! The wire form of structs and enums.

use crd_channels::{AnyJson, api};

// serde attributes whose wire form would differ from the schema.

#[api]
#[serde(deny_unknown_fields, rename_all = "camelcase", tag = "type")]
pub struct SerdeAttributes {
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

// What can be flattened, and what names it may bring.

#[api]
pub struct Flatten {
    #[serde(flatten)]
    pub one: Option<FlattenInner>,
    #[serde(flatten)]
    pub two: String,
    /// +optional
    #[serde(flatten)]
    pub three: Third,
    /// +experimental
    #[serde(flatten)]
    pub four: Fourth,
    #[serde(flatten)]
    pub five: std::collections::BTreeMap<String, String>,
    #[serde(flatten)]
    pub six: Sometimes,
    /// +listType=atomic
    #[serde(flatten)]
    pub seven: Vec<String>,
}

/// A thing with clashes.
#[api]
pub struct Clashes {
    pub one: String,
    #[serde(flatten)]
    pub inner: FlattenInner,
    /// Inner again.
    #[serde(flatten)]
    pub again: Again,
}

#[api]
pub struct FlattenInner {
    pub one: Option<String>,
    pub two: Option<String>,
}

/// Inner, again.
#[api]
pub struct Again {
    #[serde(flatten)]
    pub innermost: Innermost,
}

#[api]
pub struct Innermost {
    pub two: Option<String>,
}

#[api]
pub struct Third {
    pub drei: Option<String>,
}

#[api]
pub struct Fourth {
    pub vier: Option<String>,
}

/// Maybe a third.
pub type Sometimes = Option<Sixth>;

#[api]
pub struct Sixth {
    pub sechs: Option<String>,
}

// Two fields or variants with one name on the wire, or read from one.

#[api]
pub struct NameClash {
    pub target_port: String,
    pub targetPort: String,
    #[serde(rename = "targetPort")]
    pub port: String,
    #[serde(alias = "targetPort", alias = "fore", alias = "fore")]
    pub four: String,
    #[serde(rename = "")]
    pub five: String,
}

#[api]
pub enum NameClashChoice {
    Yes,
    /// Yes again.
    #[serde(rename = "Yes")]
    Certainly,
    #[serde(alias = "Yes")]
    No,
}

/// Another one.
#[api]
#[serde(rename_all = "lowercase")]
pub enum Other {
    AllOf,
    /// Another.
    Allof,
}

// A skipped field is not part of the schema.

#[api]
pub struct SkippedField {
    /// +kubebuilder:validation:MaxLength=3
    /// +experimental
    #[serde(skip)]
    pub one: String,
    #[serde(skip, flatten)]
    pub two: SkippedFieldInner,
}

#[api]
pub struct SkippedFieldInner {
    pub one: Option<String>,
}

// Forms of serde for enums that no Kubernetes schema can describe.

/// Nothing names the variant.
#[api]
#[serde(untagged)]
pub enum Untagged {
    Text(String),
    Number(i32),
}

/// The variant is behind another name.
#[api]
#[serde(tag = "type", content = "value")]
pub enum Adjacent {
    Text(String),
    Number(i32),
}

/// A user of them.
#[api]
pub struct User {
    pub untagged: Untagged,
    pub adjacent: Option<Adjacent>,
}

// Variants that have a number, take the name of the macro's own, or hold data without a wire form.

#[api]
pub enum VariantsChoice {
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
pub enum VariantsOther {
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
pub struct VariantsUser {
    pub choice: VariantsChoice,
    pub other: Option<VariantsOther>,
    #[serde(flatten)]
    pub tagged: Tagged,
    /// +kubebuilder:validation:MaxLength=3
    pub attributes: Attributes,
}

fn main() {}
