//! `root-type`: the root of a schema has `type: object`, since every resource is an object.

use super::{Node, NodeReport};

pub(super) fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    if !node.is_root() {
        return;
    }
    // A root without any type is another rule's.
    if !matches!(node.kind(), "object" | "") {
        report.here(format!("the root of a schema has the type object, not {}", node.kind()));
    }
}
