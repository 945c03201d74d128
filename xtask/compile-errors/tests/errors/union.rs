//! A Rust union is refused.

use crd_channels::api;

/// A thing.
#[api]
pub union Thing {
    pub one: u32,
    pub two: f32,
}

fn main() {}
