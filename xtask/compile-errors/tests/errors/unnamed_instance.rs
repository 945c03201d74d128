//! An instance that the generic type does not name.

use crd_channels::api;

/// A thing.
#[api(instances(Text = Thing<String>))]
pub struct Thing<T> {
    /// One.
    pub one: T,
}

/// A user of it.
#[api]
pub struct User {
    /// One.
    pub one: Text,
    /// Two.
    pub two: Thing<bool>,
}

fn main() {}
