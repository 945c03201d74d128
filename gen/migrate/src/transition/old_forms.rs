//! Old forms: what several older schemas have at a path, and what a newer schema does not have there.
//!
//! Invariant: only the parts of schemas by which servers prune are compared.

use crd_model::schema::{AdditionalProperties, Schema, Text};

use super::nodes::{Nodes, OF_EVERY_RESOURCE, Shape, keeps_unknown, shape};
use super::union;

/// Refuses each field of the old nodes that a resource does not have, and prunes none of them.
pub(super) fn refuse(resource: &mut Schema, old: &Nodes<'_>) {
    refuse_below(resource, old, true);
}

fn refuse_below(node: &mut Schema, old: &Nodes<'_>, is_resource: bool) {
    let is_resource = is_resource || node.embedded_resource;
    let missing = old.missing(node, is_resource);
    let has_other_shape = old.have_other_shape(node);
    for (name, property) in &mut node.properties {
        // Servers keep the metadata of a resource, and refuse a schema of its content.
        if !(is_resource && OF_EVERY_RESOURCE.contains(&&**name)) {
            refuse_below(property, &old.field(name), false);
        }
    }
    if let Some(items) = &mut node.items {
        refuse_below(items, &old.items(), false);
    }
    match &mut node.additional_properties {
        Some(AdditionalProperties::Values(values)) => refuse_below(values, &old.values(), false),
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
}

/// A field without valid values. It has the structure of the old nodes, because servers do not recognise an unchanged object without its schema.
fn refused(old: &Nodes<'_>, name: &str) -> Schema {
    Schema { not: Some(Box::default()), ..union::of_field(old, name) }
}

/// Whether a resource prunes values that the old nodes have, or has another type for them.
pub(super) fn are_possible(resource: &Schema, old: &Nodes<'_>) -> bool {
    are_possible_below(resource, old, true)
}

fn are_possible_below(node: &Schema, old: &Nodes<'_>, is_resource: bool) -> bool {
    let is_resource = is_resource || node.embedded_resource;
    let keeps_more =
        || shape(node) == Shape::Object && !keeps_unknown(node) && old.0.iter().any(|old| keeps_unknown(old));
    let of_field = |(name, property): (&Text, &Schema)| {
        let is_of_resource = is_resource && OF_EVERY_RESOURCE.contains(&&**name);
        !is_of_resource && are_possible_below(property, &old.field(name), false)
    };
    old.have_other_shape(node)
        || !old.missing(node, is_resource).is_empty()
        || keeps_more()
        || node.properties.iter().any(of_field)
        || node.items.as_ref().is_some_and(|items| are_possible_below(items, &old.items(), false))
        || node.values().is_some_and(|values| are_possible_below(values, &old.values(), false))
}
