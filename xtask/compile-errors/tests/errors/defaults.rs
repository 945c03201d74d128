//! Defaults that the type or its bounds do not permit.

use std::collections::BTreeMap;

use crd_channels::{IntOrString, api};

// A default that is none of the values.

#[api]
pub struct DefaultNotInTheEnum {
    /// +kubebuilder:default=Maybe
    pub one: Option<Choice>,
    /// +kubebuilder:default=yes
    pub two: Alias,
    /// +kubebuilder:default=c
    /// +kubebuilder:validation:Enum=a;b
    pub three: String,
    /// +kubebuilder:default=3
    /// +kubebuilder:validation:Enum=1;2
    pub four: i32,
    /// +kubebuilder:default=c
    pub five: Limited,
    /// Six: any string is valid.
    ///
    /// +kubebuilder:default=Perhaps
    pub six: Open,
    /// +kubebuilder:default={Yes,Perhaps}
    pub seven: Vec<Choice>,
}

#[api]
pub enum Choice {
    Yes,
    #[serde(rename = "no")]
    No,
}

/// The same.
pub type Alias = Choice;

/// A limited text.
///
/// +kubebuilder:validation:Enum=a;b
#[api]
pub struct Limited(String);

/// An open choice.
#[api(open)]
pub enum Open {
    Yes,
}

// Defaults of lists: their items are looked at.

#[api]
pub struct DefaultOfAList {
    /// +kubebuilder:default={1,two}
    pub one: Vec<i32>,
    /// +kubebuilder:default=1;2
    pub two: Option<Vec<String>>,
    /// +kubebuilder:default={{name: a},{nam: b}}
    pub three: Vec<Item>,
    /// Four: `{}` is the empty list.
    ///
    /// +kubebuilder:default={}
    pub four: Vec<Item>,
    /// +kubebuilder:default={name: a}
    pub five: DefaultOfAListAlias,
    /// +kubebuilder:default={{a,b},{c,1}}
    pub six: Vec<Vec<String>>,
}

#[api]
pub struct Item {
    /// Its name.
    pub name: String,
}

/// Items.
pub type DefaultOfAListAlias = Vec<Item>;

// Defaults of objects: their keys are looked at, also those of flattened structs.

#[api]
pub struct DefaultOfAnObject {
    /// +kubebuilder:default={name: a, prot: 80}
    pub one: Option<DefaultOfAnObjectItem>,
    /// Two: the key is that on the wire.
    ///
    /// +kubebuilder:default={target_port: 80}
    pub two: DefaultOfAnObjectAlias,
    /// Three: fine.
    ///
    /// +kubebuilder:default={name: a, targetPort: 80}
    pub three: DefaultOfAnObjectItem,
    /// +kubebuilder:default={a,b}
    pub four: DefaultOfAnObjectItem,
    /// Five: a map has the keys it has.
    ///
    /// +kubebuilder:default={anything: "goes"}
    pub five: std::collections::BTreeMap<String, String>,
}

#[api]
pub struct DefaultOfAnObjectItem {
    /// Its name.
    pub name: String,
    /// Its ports.
    #[serde(flatten)]
    pub ports: Ports,
}

#[api]
pub struct Ports {
    pub port: Option<i32>,
    /// Another port.
    pub target_port: Option<i32>,
}

/// The same.
pub type DefaultOfAnObjectAlias = DefaultOfAnObjectItem;

// A default that is not of the field's type, also through aliases, newtypes and `Option`.

#[api]
pub struct DefaultOfAnotherType {
    /// +kubebuilder:default=1
    pub one: String,
    /// +kubebuilder:default=one
    pub two: Option<i32>,
    /// +kubebuilder:default=true
    pub three: DefaultOfAnotherTypeAlias,
    /// +kubebuilder:default="8080"
    pub four: Newtype,
    /// +default=1.5
    pub five: Box<Newtype>,
    /// +kubebuilder:default={a: 1}
    pub six: bool,
    /// +kubebuilder:default=a
    pub seven: Vec<String>,
    /// +kubebuilder:default=a
    pub eight: Inner,
    /// Nine: an integer is a number.
    ///
    /// +kubebuilder:default=1
    pub nine: f64,
    /// Ten: both are right.
    ///
    /// +kubebuilder:default="80%"
    pub ten: IntOrString,
    /// +kubebuilder:default=0.5
    pub eleven: IntOrString,
    /// Twelve: the marker gives the value another type.
    ///
    /// +kubebuilder:default=3
    /// +kubebuilder:validation:XIntOrString
    pub twelve: String,
    /// +experimental:kubebuilder:default=1
    pub thirteen: String,
}

/// A text.
pub type DefaultOfAnotherTypeAlias = Option<Box<String>>;

/// A number.
#[api]
pub struct Newtype(u16);

#[api]
pub struct Inner {
    pub one: String,
}

// A default that bounds do not permit: those of the Rust type, of its newtype, and of other markers.

#[api]
pub struct DefaultOutOfRange {
    /// +kubebuilder:default=3000000000
    pub one: i32,
    /// +kubebuilder:default=-1
    pub two: Option<u8>,
    /// +kubebuilder:default=0
    pub three: Port,
    /// +kubebuilder:default=70000
    pub four: Option<DefaultOutOfRangeAlias>,
    /// +kubebuilder:default=10
    /// +kubebuilder:validation:Maximum=9
    pub five: i32,
    /// +kubebuilder:default=toolong
    pub six: Name,
    /// +kubebuilder:default=""
    /// +kubebuilder:validation:MinLength=1
    pub seven: String,
    /// +kubebuilder:default={1,2,70000}
    pub eight: Vec<Port>,
    /// +kubebuilder:default={a,b,c}
    pub nine: Names,
    /// +kubebuilder:default={a,b}
    /// +kubebuilder:validation:MaxItems=1
    pub ten: Vec<String>,
    /// Eleven: fine, because no channel has both.
    ///
    /// +standard:kubebuilder:default=1
    /// +experimental:kubebuilder:validation:Minimum=2
    pub eleven: i32,
    /// +kubebuilder:default=0.5
    /// +kubebuilder:validation:Minimum=1
    pub twelve: f64,
}

/// +kubebuilder:validation:Minimum=1
/// +kubebuilder:validation:Maximum=65535
#[api]
pub struct Port(i32);

/// The same.
pub type DefaultOutOfRangeAlias = Port;

/// +kubebuilder:validation:MaxLength=3
#[api]
pub struct Name(String);

/// +kubebuilder:validation:MaxItems=2
#[api]
pub struct Names(Vec<String>);

// Defaults that would do nothing.

#[api]
pub struct DefaultWithoutEffect {
    /// +kubebuilder:default=null
    pub one: Option<String>,
    /// +default=ref(DefaultTwo)
    pub two: String,
    #[serde(default = "of_nothing")]
    pub three: String,
}

// Defaults of serde that the schema does not have.

fn three() -> i32 {
    3
}

fn nothing() -> Option<Option<i32>> {
    None
}

#[api]
pub struct SerdeDefaults {
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
