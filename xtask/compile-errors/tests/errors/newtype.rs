//! Newtypes around `Option`s, and around themselves.

use crd_channels::api;

#[api]
pub struct One(Option<String>);

#[api]
pub struct Two(Sometimes);

#[api]
pub struct Three(Vec<Three>);

#[api]
pub struct Four(std::collections::BTreeMap<String, Box<Self>>);

/// Maybe a text.
pub type Sometimes = Option<String>;

fn main() {}
