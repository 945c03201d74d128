//! A type without `#[api]` and without the derives of `#[api]`: what is missing is the first error.

use crd_channels::api;

#[api]
pub struct Thing {
    pub one: Plain,
}

/// Without `#[api]`.
pub struct Plain {
    pub one: String,
}

fn main() {}
