//! Structs with several unnamed fields or none are refused.

use crd_channels::api;

/// A pair.
#[api]
pub struct Pair(pub String, pub String);

/// Nothing.
#[api]
pub struct Nothing;

/// Nothing either.
#[api]
pub struct Neither();

/// A user of them.
#[api]
pub struct User {
    /// One.
    pub pair: Option<Pair>,
    /// Two.
    pub nothing: Nothing,
}

/// A newtype with a case.
#[api]
#[serde(rename_all = "camelCase")]
pub struct Name(pub String);

fn main() {}
