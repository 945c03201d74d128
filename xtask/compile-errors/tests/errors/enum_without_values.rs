//! Enums that have no values, or none in standard.

use crd_channels::api;

/// A choice.
#[api]
pub enum Choice {}

/// Another one.
#[api]
pub enum Other {
    /// Yes.
    ///
    /// +experimental
    Yes,
    /// No.
    ///
    /// +experimental
    No,
}

/// A third one, which is fine.
///
/// +experimental
#[api]
pub enum Third {
    /// Yes.
    ///
    /// +experimental
    Yes,
}

fn main() {}
