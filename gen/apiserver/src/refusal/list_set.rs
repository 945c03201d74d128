//! `list-set`: the items of a set are scalars, or objects and lists that are replaced as a whole, and never null.
//!
//! An object is replaced as a whole when it has `x-kubernetes-map-type: atomic`, a list when it has no list type or
//! `atomic`. From 1.37 on servers warn about both: server-side apply and CEL do not know how to handle such sets.

use super::{Node, NodeReport};

pub(super) fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    let (Some("set"), Some(items)) = (node.schema.list_type.as_deref(), &node.schema.items) else { return };
    if items.nullable {
        report.here("the items of a set cannot be nullable");
    }
    // On anything but a list the list type itself is refused.
    match items.kind.as_deref() {
        _ if node.kind() != "array" => {}
        Some("object") if items.map_type.as_deref() != Some("atomic") => {
            report.here(
                "the objects in a set must have `x-kubernetes-map-type: atomic`, or two of them could not be compared",
            );
        }
        Some("array") if items.list_type.as_deref().is_some_and(|list_type| list_type != "atomic") => {
            report.here("the lists in a set must be atomic, or two of them could not be compared");
        }
        _ => {}
    }
}
