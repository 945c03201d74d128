//! A field or variant that may or may not be there cannot be in a schema.

use crd_channels::api;

#[api]
pub struct Thing {
    #[cfg(feature = "one")]
    pub one: String,
    #[cfg_attr(feature = "two", serde(rename = "zwei"))]
    pub two: String,
}

#[api]
pub enum Choice {
    Yes,
    #[cfg(feature = "no")]
    No,
}

fn main() {}
