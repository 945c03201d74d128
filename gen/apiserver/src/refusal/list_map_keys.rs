//! `list-map-keys`: a list of type map, and only such a list, has keys; each is a scalar property of its items that is
//! always there.
//!
//! Always there means required or with a default, and not nullable. The items are objects and not nullable either.

use std::collections::HashSet;

use super::{Node, NodeReport};

pub(super) fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    let schema = node.schema;
    if schema.list_type.as_deref() != Some("map") {
        if !schema.list_map_keys.is_empty() {
            report.here("only a list with `x-kubernetes-list-type: map` has x-kubernetes-list-map-keys");
        }
        return;
    }
    if schema.list_map_keys.is_empty() {
        report.here("a list of type map has x-kubernetes-list-map-keys: the properties that distinguish its items");
    }
    // A list without items is another rule's, and on anything but a list the list type is refused.
    let Some(items) = &schema.items else { return };
    if items.nullable {
        report.here("the items of a list of type map cannot be nullable");
    }
    let are_objects = items.kind.as_deref() == Some("object");
    if !are_objects {
        report.here("the items of a list of type map are objects (`type: object`)");
    }
    let mut seen = HashSet::new();
    let required: HashSet<&str> = items.required.iter().map(AsRef::as_ref).collect();
    for key in &schema.list_map_keys {
        let mut refuse = |message: String| {
            report.here(message);
            report.about(key.as_ref());
        };
        if !seen.insert(key) && are_objects {
            refuse(format!("the key `{key}` is in x-kubernetes-list-map-keys twice"));
        }
        let Some(property) = items.properties.get(key) else {
            if are_objects {
                refuse(format!("the key `{key}` is not a property of the items"));
            }
            continue;
        };
        if are_objects && matches!(property.kind.as_deref(), Some("array" | "object")) {
            refuse(format!("the key `{key}` must be a scalar"));
        }
        let has_default = property.default.as_ref().is_some_and(|default| !default.is_null());
        if !required.contains(key.as_ref()) && !has_default {
            refuse(format!("the key `{key}` must be required or have a default, so that every item has it"));
        }
        if property.nullable {
            refuse(format!("the key `{key}` cannot be nullable"));
        }
    }
}
