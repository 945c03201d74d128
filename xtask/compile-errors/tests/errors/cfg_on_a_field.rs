//! A field or variant that may or may not be there cannot be in a schema.

use crd_channels::api;

/// A thing.
#[api]
pub struct Thing {
    /// One.
    #[cfg(feature = "one")]
    pub one: String,
    /// Two.
    #[cfg_attr(feature = "two", serde(rename = "zwei"))]
    pub two: String,
}

/// A choice.
#[api]
pub enum Choice {
    /// Yes.
    Yes,
    /// No.
    #[cfg(feature = "no")]
    No,
}

fn main() {}
