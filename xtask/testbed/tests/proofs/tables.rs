//! Tables of cases: YAML files next to the test that reads them, with typed rows.
//!
//! Invariants: a table that does not fit its type fails the test. Tables are never freed, so that rows borrow their texts.

use serde::Deserialize;

/// Reads the first document of a table.
pub(crate) fn table<T: Deserialize<'static>>(text: &str) -> T {
    let document = crd_model::yaml::read(text).expect("YAML").swap_remove(0);
    T::deserialize(&*Box::leak(Box::new(document))).unwrap_or_else(|error| panic!("the table does not fit: {error}"))
}
