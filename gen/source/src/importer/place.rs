//! Where a node is: its schema path, and the name that a type has there.

use crd_model::path;
use crd_names::rust::{singular, type_name};

/// Where a node is.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) path: String,
    /// The name that a type has here.
    pub(crate) name: String,
    /// The last part of the name.
    pub(crate) last: String,
}

impl Place {
    pub(crate) fn property(&self, name: &str) -> Self {
        let last = type_name(name);
        Self { path: path::field(&self.path, name), name: format!("{}{last}", self.name), last }
    }

    /// The items of a list, or the values of a map.
    pub(crate) fn inner(&self) -> Self {
        let last = singular(&self.last);
        let name = format!("{}{last}", self.name.strip_suffix(&self.last).unwrap_or(&self.name));
        Self { path: format!("{}[*]", self.path), name, last }
    }
}
