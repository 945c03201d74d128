//! `unique-items`: no node has `uniqueItems: true`, because checking it takes quadratic time.

use super::{Node, NodeReport};

pub(super) fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    if node.schema.unique_items {
        report.here("`uniqueItems` cannot be true; write `x-kubernetes-list-type: set`");
    }
}
