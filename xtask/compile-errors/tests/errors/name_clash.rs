//! Two fields or variants with one name on the wire, or read from one.

use crd_channels::api;

#[api]
pub struct Thing {
    pub target_port: String,
    pub targetPort: String,
    #[serde(rename = "targetPort")]
    pub port: String,
    #[serde(alias = "targetPort", alias = "fore", alias = "fore")]
    pub four: String,
    #[serde(rename = "")]
    pub five: String,
}

#[api]
pub enum Choice {
    Yes,
    /// Yes again.
    #[serde(rename = "Yes")]
    Certainly,
    #[serde(alias = "Yes")]
    No,
}

/// Another one.
#[api]
#[serde(rename_all = "lowercase")]
pub enum Other {
    AllOf,
    /// Another.
    Allof,
}

fn main() {}
