//! Traits that the macro implements itself.

use crd_channels::api;

/// A thing.
#[api]
#[derive(Clone, serde::Serialize)]
#[derive(serde::Deserialize, schemars::JsonSchema)]
pub struct Thing {
    /// One.
    pub one: String,
    /// Two.
    pub two: Choice,
}

/// A choice.
#[api]
#[derive(Default, Hash)]
pub enum Choice {
    /// Yes.
    Yes,
}

fn main() {}
