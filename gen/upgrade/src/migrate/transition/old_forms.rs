//! Old forms: what several older schemas have at a path, and what a newer schema does not have there.
//!
//! Invariant: only the parts of schemas by which servers prune are compared.

use crd_model::schema::{AdditionalProperties, Schema};

use super::nodes::{Nodes, OF_EVERY_RESOURCE, Shape, keeps_unknown, shape};
use super::union;

/// Refuses each field of the old nodes that a resource does not have, and prunes none of them. Whether the resource, as it was, prunes values that the old
/// nodes have, or has another type for them.
pub(super) fn refuse(resource: &mut Schema, old: &Nodes<'_>) -> bool {
    refuse_below(resource, old, true)
}

fn refuse_below(node: &mut Schema, old: &Nodes<'_>, is_resource: bool) -> bool {
    let is_resource = is_resource || node.embedded_resource;
    let missing = old.missing(node, is_resource);
    let has_other_shape = old.have_other_shape(node);
    let prunes_unknown =
        shape(node) == Shape::Object && !keeps_unknown(node) && old.0.iter().any(|old| keeps_unknown(old));
    let mut has_old_forms = has_other_shape || !missing.is_empty() || prunes_unknown;
    for (name, property) in &mut node.properties {
        // Servers keep the metadata of a resource, and refuse a schema of its content.
        if !(is_resource && OF_EVERY_RESOURCE.contains(&&**name)) {
            has_old_forms |= refuse_below(property, &old.field(name), false);
        }
    }
    if let Some(items) = &mut node.items {
        has_old_forms |= refuse_below(items, &old.items(), false);
    }
    match &mut node.additional_properties {
        Some(AdditionalProperties::Values(values)) => has_old_forms |= refuse_below(values, &old.values(), false),
        // It keeps the keys, and prunes their values.
        Some(AdditionalProperties::Allowed(true)) => node.additional_properties = None,
        Some(AdditionalProperties::Allowed(false)) | None => {}
    }
    node.properties.extend(missing.into_iter().map(|name| {
        let refused = refused(old, &name);
        (name, refused)
    }));
    let is_plain_object = shape(node) == Shape::Object && node.additional_properties.is_none();
    // Servers refuse the keyword in an integer or string.
    if (is_plain_object || has_other_shape) && !node.int_or_string {
        node.preserve_unknown_fields = Some(true);
    }
    has_old_forms
}

/// A field without valid values. It has the structure of the old nodes, because servers do not recognise an unchanged object without its schema.
fn refused(old: &Nodes<'_>, name: &str) -> Schema {
    Schema { not: Some(Box::default()), ..union::of_field(old, name) }
}
