//! Rust types that a schema cannot describe.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use crd_channels::api;

// Types of Rust that have no place in a schema: what to write instead, wherever they stand.

#[api]
pub struct UnfitTypes {
    /// +kubebuilder:default={}
    pub one: HashMap<String, String>,
    pub two: Option<HashSet<String>>,
    /// +listType=set
    pub three: BTreeSet<String>,
    pub four: Vec<VecDeque<String>>,
    pub five: Option<char>,
    /// +kubebuilder:validation:Minimum=0
    pub six: u128,
    pub seven: std::path::PathBuf,
    pub eight: Option<DateTime<Utc>>,
    pub nine: jiff::Timestamp,
    pub ten: std::time::Duration,
    pub eleven: Vec<k8s_openapi::api::core::v1::EnvVar>,
    pub twelve: k8s_openapi::apimachinery::pkg::api::resource::Quantity,
}

#[api]
pub struct Number(i128);

// Bytes have a type of their own.

#[api]
pub struct Bytes {
    pub one: Vec<u8>,
    pub two: Option<std::collections::BTreeMap<String, Vec<u8>>>,
}

#[api]
pub struct Newtype(Vec<u8>);

// The keys of maps are strings.

#[api]
pub struct MapKeys {
    pub one: BTreeMap<i32, String>,
    /// Two: fine.
    pub two: BTreeMap<Name, String>,
}

/// +kubebuilder:validation:MaxLength=3
#[api]
pub struct Name(String);

// Newtypes around `Option`s, and around themselves.

#[api]
pub struct One(Option<String>);

#[api]
pub struct Two(Sometimes);

#[api]
pub struct Three(Vec<Three>);

#[api]
pub struct Four(std::collections::BTreeMap<String, Box<Self>>);

/// Maybe a text.
pub type Sometimes = Option<String>;

// `#[api]` above an item that is not a type.

/// A function.
#[api]
pub fn thing() {}

#[api]
pub type Alias = String;

// A Rust union is refused.

/// A thing.
#[api]
pub union Union {
    pub one: u32,
    pub two: f32,
}

// Structs with several unnamed fields or none are refused.

#[api]
pub struct Pair(pub String, pub String);

#[api]
pub struct Nothing;

/// Nothing either.
#[api]
pub struct Neither();

/// A user of them.
#[api]
pub struct User {
    pub pair: Option<Pair>,
    pub nothing: Nothing,
}

/// A newtype with a case.
#[api]
#[serde(rename_all = "camelCase")]
pub struct TupleStructName(pub String);

// Types without a name.

#[api]
pub struct Nameless {
    pub tuple: (i32, i32),
    pub inside: Option<Vec<(i32, String)>>,
    pub unit: (),
    pub array: [u16; 4],
    pub borrowed: &'static str,
    pub key: BTreeMap<(i32, i32), String>,
    pub value: serde_json::Value,
    pub shared: std::sync::Arc<String>,
    #[serde(skip)]
    pub of_the_program: (i32, i32),
}

// Traits that the macro implements itself.

#[api]
#[derive(Clone, serde::Serialize)]
#[derive(serde::Deserialize, schemars::JsonSchema)]
pub struct Derives {
    pub one: String,
    pub two: Choice,
}

#[api]
#[derive(Default, Hash)]
pub enum Choice {
    Yes,
}

// A field or variant that may or may not be there cannot be in a schema.

#[api]
pub struct CfgOnAField {
    #[cfg(feature = "one")]
    pub one: String,
    #[cfg_attr(feature = "two", serde(rename = "zwei"))]
    pub two: String,
}

#[api]
pub enum CfgOnAFieldChoice {
    Yes,
    #[cfg(feature = "no")]
    No,
}

fn main() {}
