//! Defaults of lists: their items are looked at.

use crd_channels::api;

#[api]
pub struct Thing {
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
    pub five: Alias,
    /// +kubebuilder:default={{a,b},{c,1}}
    pub six: Vec<Vec<String>>,
}

#[api]
pub struct Item {
    /// Its name.
    pub name: String,
}

/// Items.
pub type Alias = Vec<Item>;

fn main() {}
