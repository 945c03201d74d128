//! Forms of serde for enums that no Kubernetes schema can describe.

use crd_channels::api;

/// Nothing names the variant.
#[api]
#[serde(untagged)]
pub enum Untagged {
    Text(String),
    Number(i32),
}

/// The variant is behind another name.
#[api]
#[serde(tag = "type", content = "value")]
pub enum Adjacent {
    Text(String),
    Number(i32),
}

/// A user of them.
#[api]
pub struct User {
    pub untagged: Untagged,
    pub adjacent: Option<Adjacent>,
}

fn main() {}
