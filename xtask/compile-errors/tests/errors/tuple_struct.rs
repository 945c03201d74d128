//! Structs with several unnamed fields or none are refused.

use crd_channels::api;

#[api]
pub struct Pair(pub String, pub String);

#[api]
pub struct Nothing;

/// Nothing either.
#[api]
pub struct Neither();

/// A user of them.
#[api]
pub struct User {
    pub pair: Option<Pair>,
    pub nothing: Nothing,
}

/// A newtype with a case.
#[api]
#[serde(rename_all = "camelCase")]
pub struct Name(pub String);

fn main() {}
