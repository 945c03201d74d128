//! Bytes have a type of their own.

use crd_channels::api;

#[api]
pub struct Thing {
    pub one: Vec<u8>,
    pub two: Option<std::collections::BTreeMap<String, Vec<u8>>>,
}

#[api]
pub struct Newtype(Vec<u8>);

fn main() {}
