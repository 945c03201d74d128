//! A type without `#[api]` as a field: the type is underlined, in the field and nowhere else.

use crd_channels::api;

use std::collections::BTreeMap;

#[api]
pub struct Thing {
    pub one: Plain,
    /// +kubebuilder:default={}
    pub two: Option<Plain>,
    /// +listType=atomic
    pub three: Vec<Plain>,
    pub four: Option<BTreeMap<String, Plain>>,
}

/// Without `#[api]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plain {
    pub one: String,
}

fn main() {}
