//! Markers that contradict each other or the Rust type.

use crd_channels::api;

// Markers that contradict each other.

#[api]
pub struct Conflicting {
    /// +optional
    /// +required
    pub one: Option<String>,
    /// +listType=map
    pub two: Vec<Item>,
    /// +listType=set
    /// +listMapKey=name
    pub three: Vec<Item>,
    /// +listMapKey=name
    pub four: Vec<Item>,
    /// +experimental:listType=map
    /// +standard:listMapKey=name
    pub five: Vec<Item>,
    /// +kubebuilder:validation:UniqueItems=true
    pub six: Vec<String>,
}

#[api]
pub struct Item {
    /// Its name.
    pub name: String,
}

// The same marker twice, under one name or two, with equal or other values.

/// +tombstone:name=a,removed=v1.0.0,reason="gone"
/// +tombstone:name=a,removed=v1.1.0,reason="gone again"
/// +kubebuilder:validation:XValidation:rule="self == oldSelf"
/// +kubebuilder:validation:XValidation:rule="self == oldSelf"
#[api]
pub struct Duplicated {
    /// +kubebuilder:validation:MaxLength=3
    /// +kubebuilder:validation:MaxLength=4
    pub one: String,
    /// +optional
    /// +kubebuilder:validation:Optional
    pub two: Option<String>,
    /// +kubebuilder:default=1
    /// +default=1
    pub three: Option<i32>,
    /// Four: fine, because no channel has both.
    ///
    /// +standard:kubebuilder:validation:MaxLength=3
    /// +experimental:kubebuilder:validation:MaxLength=4
    pub four: String,
    /// +kubebuilder:validation:MaxLength=3
    /// +experimental:kubebuilder:validation:MaxLength=4
    pub five: String,
    /// Six: fine, because one is for the list and one for its items.
    ///
    /// +kubebuilder:validation:MaxItems=3
    /// +kubebuilder:validation:items:MaxLength=3
    pub six: Vec<String>,
}

/// +experimental
/// +experimental
#[api]
pub enum Choice {
    /// +experimental
    /// +experimental
    Yes,
}

// Markers that contradict the Rust type, also through an alias.

#[api]
pub struct Presence {
    /// +optional
    pub one: String,
    /// +required
    pub two: Option<String>,
    /// +kubebuilder:validation:Optional
    pub three: Always,
    /// +k8s:required
    pub four: Sometimes,
    /// Five: fine, all of them.
    ///
    /// +optional
    pub five: Sometimes,
    /// +required
    pub six: Always,
    /// +optional
    pub seven: Vec<String>,
}

/// A text.
pub type Always = String;

/// Maybe a text.
pub type Sometimes = Option<String>;

// Null needs a place in the Rust type.

#[api]
pub struct Nullable {
    /// +nullable
    pub one: String,
    /// +nullable
    pub two: Option<String>,
    /// Three: fine.
    ///
    /// +nullable
    pub three: Option<Option<String>>,
    /// Four: fine.
    ///
    /// +nullable
    /// +required
    pub four: Option<String>,
    /// +nullable
    /// +required
    pub five: String,
    pub six: Option<Option<Option<String>>>,
    pub seven: Option<Sometimes>,
    pub eight: Twice,
}

/// Absent, null or a text.
pub type Twice = Option<Option<String>>;

// A minimum above a maximum.

#[api]
pub struct BoundsAtOnePlace {
    /// +kubebuilder:validation:Minimum=10
    /// +kubebuilder:validation:Maximum=9
    pub one: i32,
    /// +kubebuilder:validation:MaxLength=1
    /// +kubebuilder:validation:MinLength=2
    pub two: String,
    /// +kubebuilder:validation:items:MinLength=2
    /// +kubebuilder:validation:items:MaxLength=1
    /// +kubebuilder:validation:MinItems=4
    /// +kubebuilder:validation:MaxItems=3
    pub three: Vec<String>,
    /// Four: fine, because no channel has both.
    ///
    /// +standard:kubebuilder:validation:Minimum=10
    /// +experimental:kubebuilder:validation:Maximum=9
    pub four: i32,
    /// +kubebuilder:validation:Minimum=10
    /// +experimental:kubebuilder:validation:Maximum=9
    pub five: i32,
    /// +kubebuilder:validation:Minimum=0.5
    pub six: i32,
    /// +kubebuilder:validation:MultipleOf=0.1
    pub seven: Option<u64>,
}

/// +kubebuilder:validation:MinLength=3
/// +kubebuilder:validation:MaxLength=2
#[api]
pub struct Name(String);

/// +kubebuilder:validation:MinProperties=3
/// +kubebuilder:validation:MaxProperties=2
#[api]
pub struct Map {
    pub one: Option<String>,
}

// A minimum above a maximum, one on the field and one on its type, also through aliases and newtypes of newtypes.

#[api]
pub struct BoundsAcrossTypes {
    /// +kubebuilder:validation:Minimum=70000
    pub one: Port,
    /// +kubebuilder:validation:MaxLength=2
    pub two: Option<Alias>,
    /// +kubebuilder:validation:MinItems=3
    pub three: Names,
    /// Four: fine, the field is narrower.
    ///
    /// +kubebuilder:validation:Maximum=1023
    pub four: Port,
    /// +kubebuilder:validation:MinProperties=3
    pub five: Labels,
}

/// +kubebuilder:validation:Minimum=1
/// +kubebuilder:validation:Maximum=65535
#[api]
pub struct Port(i32);

/// A port with a name.
///
/// +kubebuilder:validation:Maximum=0
#[api]
pub struct NoPort(Port);

/// +kubebuilder:validation:MinLength=3
#[api]
pub struct BoundsAcrossTypesName(String);

/// The same.
pub type Alias = BoundsAcrossTypesName;

/// +kubebuilder:validation:MaxItems=2
#[api]
pub struct Names(Vec<BoundsAcrossTypesName>);

/// +kubebuilder:validation:MaxProperties=2
#[api]
pub struct Labels(std::collections::BTreeMap<String, String>);

// Values of `Enum` that the type cannot have, and `Enum` on a Rust enum.

#[api]
pub struct EnumValues {
    /// +kubebuilder:validation:Enum=1;2
    pub one: String,
    /// +kubebuilder:validation:Enum=a;b
    pub two: Number,
    /// Three: fine, narrower than the type.
    ///
    /// +kubebuilder:validation:Enum=Yes
    pub three: EnumValuesChoice,
    /// +kubebuilder:validation:Enum=Yes;Maybe
    pub four: Option<EnumValuesChoice>,
    /// A value twice.
    ///
    /// +kubebuilder:validation:Enum=a;b;a
    pub twice: String,
    /// Five: fine.
    ///
    /// +kubebuilder:validation:Enum="1";"2"
    pub five: String,
}

pub type Number = u8;

/// A small number.
///
/// +kubebuilder:validation:Enum=1;2;300
#[api]
pub struct Small(Number);

/// +kubebuilder:validation:Enum=Yes;No
#[api]
pub enum EnumValuesChoice {
    Yes,
    No,
}

// Enums that have no values, or none in standard.

#[api]
pub enum EnumWithoutValuesChoice {}

/// Another one.
#[api]
pub enum Other {
    /// +experimental
    Yes,
    /// +experimental
    No,
}

/// A third one, which is fine.
///
/// +experimental
#[api]
pub enum Third {
    /// +experimental
    Yes,
}

// Unions over fields that do not exist, or are always there.

/// +kubebuilder:validation:AtMostOneOf=one;tow
/// +kubebuilder:validation:ExactlyOneOf=one;targetPort;unheard
/// +kubebuilder:validation:AtLeastOneOf=one;three;four
/// +kubebuilder:validation:AtLeastOneOf=inner.one
#[api]
pub struct UnionsOfFields {
    pub one: Option<String>,
    pub two: Option<String>,
    pub three: String,
    pub four: Always,
    pub target_port: Sometimes,
}

/// A thing with a flattened struct.
///
/// +kubebuilder:validation:AtMostOneOf=one;two
/// +kubebuilder:validation:AtMostOneOf=three;four
#[api]
pub struct Outer {
    pub three: Option<String>,
    #[serde(flatten)]
    pub inner: Inner,
}

#[api]
pub struct Inner {
    pub one: Option<String>,
    pub two: Always,
}

/// +kubebuilder:validation:AtMostOneOf=one;three
#[api]
pub struct Newtype(Inner);

// Patterns that API servers cannot read.

#[api]
pub struct Pattern {
    /// +kubebuilder:validation:Pattern=`^(?!a)b$`
    pub one: String,
    /// +kubebuilder:validation:Pattern=`^(a`
    pub two: String,
    /// +kubebuilder:validation:items:Pattern=`^(a)\1$`
    pub three: Vec<String>,
    /// +kubebuilder:validation:Pattern="a{1001}"
    pub four: String,
}

/// +kubebuilder:validation:Pattern=[z-a]
#[api]
pub struct PatternName(String);

fn main() {}
