//! `#[api]` above something that is no type.

use crd_channels::api;

/// A function.
#[api]
pub fn thing() {}

/// An alias.
#[api]
pub type Alias = String;

fn main() {}
