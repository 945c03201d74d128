//! Null needs a place in the Rust type.

use crd_channels::api;

/// A thing.
#[api]
pub struct Thing {
    /// One.
    ///
    /// +nullable
    pub one: String,
    /// Two.
    ///
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
    /// Five.
    ///
    /// +nullable
    /// +required
    pub five: String,
    /// Six.
    pub six: Option<Option<Option<String>>>,
    /// Seven.
    pub seven: Option<Sometimes>,
    /// Eight.
    pub eight: Twice,
}

/// Maybe a text.
pub type Sometimes = Option<String>;

/// Absent, null or a text.
pub type Twice = Option<Option<String>>;

fn main() {}
