//! Defaults of objects: their keys are looked at, also those of flattened structs.

use crd_channels::api;

#[api]
pub struct Thing {
    /// +kubebuilder:default={name: a, prot: 80}
    pub one: Option<Item>,
    /// Two: the key is that on the wire.
    ///
    /// +kubebuilder:default={target_port: 80}
    pub two: Alias,
    /// Three: fine.
    ///
    /// +kubebuilder:default={name: a, targetPort: 80}
    pub three: Item,
    /// +kubebuilder:default={a,b}
    pub four: Item,
    /// Five: a map has the keys it has.
    ///
    /// +kubebuilder:default={anything: "goes"}
    pub five: std::collections::BTreeMap<String, String>,
}

#[api]
pub struct Item {
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
pub type Alias = Item;

fn main() {}
