//! Traits that the macro implements itself.

use crd_channels::api;

#[api]
#[derive(Clone, serde::Serialize)]
#[derive(serde::Deserialize, schemars::JsonSchema)]
pub struct Thing {
    pub one: String,
    pub two: Choice,
}

#[api]
#[derive(Default, Hash)]
pub enum Choice {
    Yes,
}

fn main() {}
