//! A Rust union is refused.

use crd_channels::api;

/// A thing.
#[api]
pub union Thing {
    /// One.
    pub one: u32,
    /// Two.
    pub two: f32,
}

fn main() {}
