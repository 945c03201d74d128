//! Defaults of lists: their items are looked at.

use crd_channels::api;

/// A thing.
#[api]
pub struct Thing {
    /// One.
    ///
    /// +kubebuilder:default={1,two}
    pub one: Vec<i32>,
    /// Two.
    ///
    /// +kubebuilder:default=1;2
    pub two: Option<Vec<String>>,
    /// Three.
    ///
    /// +kubebuilder:default={{name: a},{nam: b}}
    pub three: Vec<Item>,
    /// Four: `{}` is the empty list.
    ///
    /// +kubebuilder:default={}
    pub four: Vec<Item>,
    /// Five.
    ///
    /// +kubebuilder:default={name: a}
    pub five: Alias,
    /// Six.
    ///
    /// +kubebuilder:default={{a,b},{c,1}}
    pub six: Vec<Vec<String>>,
}

/// An item.
#[api]
pub struct Item {
    /// Its name.
    pub name: String,
}

/// Items.
pub type Alias = Vec<Item>;

fn main() {}
