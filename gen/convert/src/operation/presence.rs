//! Fields that only one form has: defaults, constants and dropped fields.

use serde_json::Value;

use super::form::Found;
use crate::path;

/// The form of an item by the presence of a field. A field counts as absent only if the object around it exists.
pub(super) fn find(item: &Value, field: &[String], present: Found, absent: Found) -> Found {
    match path::parent(item, field) {
        Some(parent) if field.last().is_some_and(|name| parent.contains_key(name)) => present,
        Some(_) => absent,
        None => Found::Neither,
    }
}

/// Whether the field has the only value that the old form permits.
pub(super) fn check_constant(item: &Value, field: &[String], constant: &Value) -> Result<(), String> {
    match path::get(item, field) {
        Some(value) if value != constant => Err(format!(
            "`{}` has another value than the constant {constant}, which the new form implies",
            path::text(field)
        )),
        _ => Ok(()),
    }
}
