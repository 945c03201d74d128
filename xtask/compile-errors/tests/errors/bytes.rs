//! Bytes have a type of their own.

use crd_channels::api;

/// A thing.
#[api]
pub struct Thing {
    /// One.
    pub one: Vec<u8>,
    /// Two.
    pub two: Option<std::collections::BTreeMap<String, Vec<u8>>>,
}

/// A newtype.
#[api]
pub struct Newtype(Vec<u8>);

fn main() {}
