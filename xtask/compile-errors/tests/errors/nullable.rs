//! Null needs a place in the Rust type.

use crd_channels::api;

#[api]
pub struct Thing {
    /// +nullable
    pub one: String,
    /// +nullable
    pub two: Option<String>,
    /// Three: fine.
    ///
    /// +nullable
    pub three: Option<Option<String>>,
    /// Four: fine.
    ///
    /// +nullable
    /// +required
    pub four: Option<String>,
    /// +nullable
    /// +required
    pub five: String,
    pub six: Option<Option<Option<String>>>,
    pub seven: Option<Sometimes>,
    pub eight: Twice,
}

/// Maybe a text.
pub type Sometimes = Option<String>;

/// Absent, null or a text.
pub type Twice = Option<Option<String>>;

fn main() {}
