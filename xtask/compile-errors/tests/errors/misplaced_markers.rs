//! Markers on items and on types that cannot have them.

use crd_channels::{IntOrString, ObjectMeta, api};

// Markers of types and resources on a field.

#[api]
pub struct MisplacedOnAField {
    /// +kubebuilder:storageversion
    pub one: String,
    /// +kubebuilder:validation:AtMostOneOf=a;b
    pub two: String,
    /// +tombstone:name=four,removed=v1.0.0,reason="gone"
    pub three: String,
    /// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
    pub five: String,
}

// Markers of fields on the type of a resource.

/// +required
/// +kubebuilder:default={}
#[api(group = "things.example.com", version = "v1", kind = "Thing")]
pub struct MisplacedOnAResource {
    pub metadata: ObjectMeta,
}

// Markers of fields and resources on a type.

/// +optional
/// +kubebuilder:default={}
/// +kubebuilder:resource:categories=things
#[api]
pub struct MisplacedOnAType {
    pub one: String,
}

/// +nullable
/// +k8s:immutable
#[api]
pub struct Name(String);

/// +kubebuilder:example=Yes
#[api]
pub enum Choice {
    Yes,
}

// Only `+experimental` is allowed on a variant.

#[api]
pub enum MisplacedOnAVariantChoice {
    /// +optional
    Yes,
    /// +kubebuilder:validation:MaxLength=3
    No,
    /// +tombstone:name=Perhaps,removed=v1.0.0,reason="gone"
    Maybe,
    /// +kubebuilder:storageversion
    Never,
    /// Known.
    ///
    /// +experimental
    Always,
}

// The field of a newtype has no markers and no attributes of its own.

#[api]
pub struct MisplacedOnTheFieldOfANewtypeName(
    /// Text.
    ///
    /// +kubebuilder:validation:MaxLength=3
    pub String,
);

/// Another name.
#[api]
pub struct Other(#[serde(rename = "name")] pub String);

/// A third name.
#[api]
pub struct Third(#[api(foreign)] pub String);

// Markers on values of the wrong kind, recognised by the name of the type.

/// +kubebuilder:validation:MaxLength=3
/// +listType=atomic
#[api]
pub struct MarkerOnAnotherKind {
    /// +kubebuilder:validation:MaxLength=3
    pub one: i32,
    /// +kubebuilder:validation:Minimum=3
    pub two: Option<String>,
    /// +kubebuilder:validation:MaxLength=3
    pub three: Vec<String>,
    /// +listType=set
    pub four: std::collections::BTreeMap<String, String>,
    /// +kubebuilder:validation:MaxItems=3
    pub five: bool,
    /// +structType=atomic
    pub six: f64,
    /// +kubebuilder:validation:Pattern=`^a`
    pub seven: Box<i64>,
    /// +kubebuilder:validation:Enum=a;b
    pub eight: Vec<String>,
}

/// +kubebuilder:validation:MaxItems=3
#[api]
pub struct MarkerOnAnotherKindName(String);

/// +kubebuilder:validation:Maximum=3
/// +kubebuilder:validation:AtMostOneOf=a;b
#[api]
pub enum MarkerOnAnotherKindChoice {
    Yes,
}

// Markers on values of the wrong kind, where only the compiler can resolve the type.

#[api]
pub struct MarkerOnAnotherKindOfAlias {
    /// +kubebuilder:validation:MaxLength=3
    pub one: Number,
    /// +kubebuilder:validation:Minimum=3
    pub two: Option<MarkerOnAnotherKindOfAliasChoice>,
    /// +kubebuilder:validation:MaxLength=3
    pub three: List,
    /// +listType=set
    pub four: Inner,
    /// Five: fine.
    ///
    /// +kubebuilder:validation:Pattern=`^[0-9]+%$`
    pub five: IntOrString,
    /// +mapType=atomic
    pub six: Newtype,
    /// +kubebuilder:validation:MinProperties=1
    pub seven: IntOrString,
}

pub type Number = i32;

pub type List = Vec<String>;

/// A newtype of a newtype.
#[api]
pub struct Newtype(Innermost);

/// A newtype.
///
/// +kubebuilder:validation:MinLength=3
#[api]
pub struct Innermost(Number);

#[api]
pub struct Inner {
    pub one: String,
}

#[api]
pub enum MarkerOnAnotherKindOfAliasChoice {
    Yes,
}

// Markers for items on what has none, or other ones.

#[api]
pub struct ItemsMarker {
    /// +kubebuilder:validation:items:MaxLength=3
    pub one: String,
    /// +kubebuilder:validation:items:MaxLength=3
    pub two: Vec<i32>,
    /// +kubebuilder:validation:items:Maximum=3
    pub three: Alias,
    /// +kubebuilder:validation:items:Pattern=`^a`
    pub four: ItemsMarkerChoice,
    /// +kubebuilder:validation:items:XValidation:rule="self != ''"
    pub five: Inner,
    /// +kubebuilder:validation:items:MaxItems=3
    pub six: Vec<ItemsMarkerChoice>,
    /// Seven: fine.
    ///
    /// +kubebuilder:validation:items:MaxItems=3
    pub seven: Vec<Alias>,
    /// +kubebuilder:validation:items:Enum=1;2
    pub eight: Vec<String>,
    /// +kubebuilder:validation:items:Enum=Yes;Maybe
    pub nine: Vec<ItemsMarkerChoice>,
}

/// A list.
pub type Alias = Vec<String>;

#[api]
pub enum ItemsMarkerChoice {
    Yes,
}

// `+k8s:enum` on a type that is not a closed enum.

/// +k8s:enum
#[api]
pub struct K8sEnum {
    /// +k8s:enum
    pub one: String,
    /// Two: fine.
    ///
    /// +k8s:enum
    pub two: Option<K8sEnumChoice>,
    /// +k8s:enum
    pub three: Open,
    /// +k8s:enum=Yes
    pub four: K8sEnumChoice,
}

/// +k8s:enum
#[api]
pub enum K8sEnumChoice {
    Yes,
}

/// An open choice.
///
/// +k8s:enum
#[api(open)]
pub enum Open {
    Yes,
}

// A key that the items lack or that cannot be one, also through aliases, newtypes and flattened structs.

#[api]
pub struct ListMapKey {
    /// +listType=map
    /// +listMapKey=nam
    pub one: Vec<Item>,
    /// +listType=map
    /// +listMapKey=target_port
    pub two: Option<ListMapKeyAlias>,
    /// Three: fine.
    ///
    /// +listType=map
    /// +listMapKey=name
    /// +listMapKey=targetPort
    pub three: Vec<Item>,
    /// +listType=map
    /// +listMapKey=name
    pub four: Vec<String>,
    /// +listType=map
    /// +listMapKey=tags
    pub five: Vec<Item>,
}

#[api]
pub struct Item {
    /// Its name.
    pub name: String,
    /// Its ports.
    #[serde(flatten)]
    pub ports: Ports,
    /// Its tags.
    pub tags: Option<Vec<String>>,
}

#[api]
pub struct Ports {
    /// A port.
    pub target_port: Option<i32>,
}

/// The same.
pub type ListMapKeyAlias = Vec<Item>;

/// +listType=map
/// +listMapKey=id
#[api]
pub struct Items(Vec<Item>);

fn main() {}
