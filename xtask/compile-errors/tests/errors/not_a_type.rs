//! `#[api]` above an item that is not a type.

use crd_channels::api;

/// A function.
#[api]
pub fn thing() {}

#[api]
pub type Alias = String;

fn main() {}
