//! An instance that the generic type does not name.

use crd_channels::api;

#[api(instances(Text = Thing<String>))]
pub struct Thing<T> {
    pub one: T,
}

/// A user of it.
#[api]
pub struct User {
    pub one: Text,
    pub two: Thing<bool>,
}

fn main() {}
