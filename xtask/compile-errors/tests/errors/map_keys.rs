//! The keys of maps are strings.

use crd_channels::api;

use std::collections::BTreeMap;

/// A thing.
#[api]
pub struct Thing {
    /// One.
    pub one: BTreeMap<i32, String>,
    /// Two: fine.
    pub two: BTreeMap<Name, String>,
}

/// A name.
///
/// +kubebuilder:validation:MaxLength=3
#[api]
pub struct Name(String);

fn main() {}
