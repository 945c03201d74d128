//! A key that the items lack or that cannot be one, also through aliases, newtypes and flattened structs.

use crd_channels::api;

#[api]
pub struct Thing {
    /// +listType=map
    /// +listMapKey=nam
    pub one: Vec<Item>,
    /// +listType=map
    /// +listMapKey=target_port
    pub two: Option<Alias>,
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
pub type Alias = Vec<Item>;

/// +listType=map
/// +listMapKey=id
#[api]
pub struct Items(Vec<Item>);

fn main() {}
