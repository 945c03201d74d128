//! `list-type`: `x-kubernetes-list-type` is `atomic`, `set` or `map`, and only lists have it.

use super::{Node, NodeReport};

pub(super) fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    let Some(list_type) = &node.schema.list_type else { return };
    if !matches!(list_type.as_ref(), "atomic" | "set" | "map") {
        report.here(format!("x-kubernetes-list-type is {list_type:?}; it is one of atomic, set, map"));
    }
    if node.kind() != "array" {
        report.here("only a list (`type: array`) can have x-kubernetes-list-type");
    }
}
