//! `map-type`: `x-kubernetes-map-type` is `atomic` or `granular`, and only objects have it.

use super::{Node, NodeReport};

pub(super) fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    let Some(map_type) = &node.schema.map_type else { return };
    if !matches!(map_type.as_ref(), "atomic" | "granular") {
        report.here(format!("x-kubernetes-map-type is {map_type:?}; it is one of atomic, granular"));
    }
    if node.kind() != "object" {
        report.here("only an object (`type: object`) can have x-kubernetes-map-type");
    }
}
