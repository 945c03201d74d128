//! Markers that contradict each other.

use crd_channels::api;

#[api]
pub struct Thing {
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

fn main() {}
