//! Enums that have no values, or none in standard.

use crd_channels::api;

#[api]
pub enum Choice {}

/// Another one.
#[api]
pub enum Other {
    /// +experimental
    Yes,
    /// +experimental
    No,
}

/// A third one, which is fine.
///
/// +experimental
#[api]
pub enum Third {
    /// +experimental
    Yes,
}

fn main() {}
