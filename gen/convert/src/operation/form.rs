//! The forms of an item and its values.

use serde_json::Value;

use crate::path::Fields;

/// Which form an item has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Neither,
    Old,
    New,
    /// Both, with one place of each in the item.
    Both(String, String),
}

/// The old or the new form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Old,
    New,
}

/// What one form cannot express: the places of the other form with their values.
pub(crate) type Kept = Vec<(Fields, Value)>;

/// One value for each place, if it is present.
pub(super) type PlaceValues = Vec<Option<Value>>;
