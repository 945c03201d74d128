//! `required-unknown`: every required property is a property.
//!
//! Ours. The server accepts a `required` that names no property, drops the field from every object as unknown, and then
//! refuses the object because the field is missing.

use super::{Node, NodeReport};

pub(super) fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    let schema = node.schema;
    if schema.additional_properties.is_some() || schema.preserve_unknown_fields == Some(true) {
        return;
    }
    let is_resource = node.is_root() || schema.embedded_resource;
    for name in &schema.required {
        let is_of_resource = is_resource && matches!(name.as_ref(), "apiVersion" | "kind" | "metadata");
        if !is_of_resource && !schema.properties.contains_key(name) {
            let message = format!(
                "`{name}` is required but no property; the server would drop it as unknown and then refuse every object for its absence"
            );
            report.here(message);
        }
    }
}
