//! A fence that is left open would swallow the markers behind it.

use crd_channels::api;

/// A thing.
///
/// ```yaml
/// one: 1
///
/// +structType=atomic
#[api]
pub struct Thing {
    /// One, with an example that may well show markers.
    ///
    /// ```text
    /// +optinal
    /// ```
    pub one: String,
}

fn main() {}
