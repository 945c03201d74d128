//! `items-missing`: a list has a schema for its items.

use super::{Node, NodeReport};

pub(super) fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    if node.kind() == "array" && node.schema.items.is_none() {
        report.here("a list must have `items`, the schema of every item");
    }
}
