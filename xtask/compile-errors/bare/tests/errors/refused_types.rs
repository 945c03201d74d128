//! Types that are refused as a whole do not make errors where they are used.

use crd_channels::api;

/// A generic.
#[api]
pub struct Generic<T> {
    /// One.
    pub one: T,
}

/// A pair.
#[api]
pub struct Pair(String, String);

/// A choice with data.
#[api]
pub enum Choice {
    /// One.
    One(String, i32),
}

/// A user of them.
#[api]
pub struct User {
    /// One.
    pub generic: Generic<String>,
    /// Two.
    ///
    /// +kubebuilder:default={}
    pub pair: Option<Pair>,
    /// Three.
    pub choice: Vec<Choice>,
}

fn main() {
    let _ = <User as crd_channels::Described>::DESCRIPTOR;
    let _ = <Pair as crd_channels::Described>::DESCRIPTOR;
}
