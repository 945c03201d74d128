//! Forms of serde for enums that no Kubernetes schema can describe.

use crd_channels::api;

/// Nothing names the variant.
#[api]
#[serde(untagged)]
pub enum Untagged {
    /// Text.
    Text(String),
    /// A number.
    Number(i32),
}

/// The variant is behind another name.
#[api]
#[serde(tag = "type", content = "value")]
pub enum Adjacent {
    /// Text.
    Text(String),
    /// A number.
    Number(i32),
}

/// A user of them.
#[api]
pub struct User {
    /// One.
    pub untagged: Untagged,
    /// Two.
    pub adjacent: Option<Adjacent>,
}

fn main() {}
