//! Types that are refused as a whole do not make errors where they are used.

use crd_channels::api;

#[api]
pub struct Generic<T> {
    pub one: T,
}

#[api]
pub struct Pair(String, String);

/// A choice with data.
#[api]
pub enum Choice {
    One(String, i32),
}

/// A user of them.
#[api]
pub struct User {
    pub generic: Generic<String>,
    /// +kubebuilder:default={}
    pub pair: Option<Pair>,
    pub choice: Vec<Choice>,
}

fn main() {
    let _ = <User as crd_channels::Described>::DESCRIPTOR;
    let _ = <Pair as crd_channels::Described>::DESCRIPTOR;
}
