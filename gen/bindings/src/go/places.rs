//! Places of published CRDs, and the Go names that they have.
//!
//! Invariant: a place is the same as long as its path in the CRD is.

use std::collections::BTreeMap;

/// The file of a module with the names of its places.
pub const FILE_NAME: &str = "go-names.json";

/// Names by place (`type spec.foos[*]`, `field spec.foos`, `value spec.mode Fast`), by CRD and version (`widgets.example.com/v1`).
pub type Names = BTreeMap<String, BTreeMap<String, String>>;

/// Where a type is in a CRD.
#[derive(Clone, Debug)]
pub struct Place {
    /// The CRD and the version: `widgets.example.com/v1`.
    pub of: String,
    /// The path in the schema. `[]` instead of `[*]` at the end is a type around the items.
    pub path: String,
    /// The parts of the path as one name.
    pub name: String,
    pub kind: String,
}

/// The places of types, and names that are given.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// By file and name in Rust.
    pub types: BTreeMap<(String, String), Place>,
    /// The names that places have.
    pub names: Names,
}

impl Places {
    /// The place of a type.
    pub fn of(&self, file: &str, name: &str) -> Option<&Place> {
        self.types.get(&(file.to_owned(), name.to_owned()))
    }

    pub(super) fn given(&self, place: &Place, key: &str) -> Option<&String> {
        self.names.get(&place.of)?.get(key)
    }
}
