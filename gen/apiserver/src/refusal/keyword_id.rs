//! `keyword-id`: no node has an `id`.

use super::{Node, NodeReport};

pub(super) fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    if node.schema.id.as_deref().is_some_and(|id| !id.is_empty()) {
        report.here("Kubernetes has no use for `id`; leave it out");
    }
}
