//! Two fields or variants with one name on the wire, or read from one.

use crd_channels::api;

/// A thing.
#[api]
pub struct Thing {
    /// One.
    pub target_port: String,
    /// Two.
    pub targetPort: String,
    /// Three.
    #[serde(rename = "targetPort")]
    pub port: String,
    /// Four.
    #[serde(alias = "targetPort", alias = "fore", alias = "fore")]
    pub four: String,
    /// Five.
    #[serde(rename = "")]
    pub five: String,
}

/// A choice.
#[api]
pub enum Choice {
    /// Yes.
    Yes,
    /// Yes again.
    #[serde(rename = "Yes")]
    Certainly,
    /// No.
    #[serde(alias = "Yes")]
    No,
}

/// Another one.
#[api]
#[serde(rename_all = "lowercase")]
pub enum Other {
    /// One.
    AllOf,
    /// Another.
    Allof,
}

fn main() {}
