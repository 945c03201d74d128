//! Newtypes around `Option`s, and around themselves.

use crd_channels::api;

/// One.
#[api]
pub struct One(Option<String>);

/// Two.
#[api]
pub struct Two(Sometimes);

/// Three.
#[api]
pub struct Three(Vec<Three>);

/// Four.
#[api]
pub struct Four(std::collections::BTreeMap<String, Box<Self>>);

/// Maybe a text.
pub type Sometimes = Option<String>;

fn main() {}
