//! The keys of maps are strings.

use crd_channels::api;

use std::collections::BTreeMap;

#[api]
pub struct Thing {
    pub one: BTreeMap<i32, String>,
    /// Two: fine.
    pub two: BTreeMap<Name, String>,
}

/// +kubebuilder:validation:MaxLength=3
#[api]
pub struct Name(String);

fn main() {}
