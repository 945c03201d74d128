//! A type without `#[api]` as a field: the type is underlined, in the field and nowhere else.

use crd_channels::api;

use std::collections::BTreeMap;

/// A thing.
#[api]
pub struct Thing {
    /// One.
    pub one: Plain,
    /// Two.
    ///
    /// +kubebuilder:default={}
    pub two: Option<Plain>,
    /// Three.
    ///
    /// +listType=atomic
    pub three: Vec<Plain>,
    /// Four.
    pub four: Option<BTreeMap<String, Plain>>,
}

/// Without `#[api]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plain {
    /// One.
    pub one: String,
}

fn main() {}
