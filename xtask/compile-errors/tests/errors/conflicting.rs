//! Markers that contradict each other.

use crd_channels::api;

/// A thing.
#[api]
pub struct Thing {
    /// One.
    ///
    /// +optional
    /// +required
    pub one: Option<String>,
    /// Two.
    ///
    /// +listType=map
    pub two: Vec<Item>,
    /// Three.
    ///
    /// +listType=set
    /// +listMapKey=name
    pub three: Vec<Item>,
    /// Four.
    ///
    /// +listMapKey=name
    pub four: Vec<Item>,
    /// Five.
    ///
    /// +experimental:listType=map
    /// +standard:listMapKey=name
    pub five: Vec<Item>,
    /// Six.
    ///
    /// +kubebuilder:validation:UniqueItems=true
    pub six: Vec<String>,
}

/// An item.
#[api]
pub struct Item {
    /// Its name.
    pub name: String,
}

fn main() {}
