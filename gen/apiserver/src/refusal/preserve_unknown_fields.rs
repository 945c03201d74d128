//! `preserve-unknown-fields`: `x-kubernetes-preserve-unknown-fields` is true or absent.

use super::{Node, NodeReport};

pub(super) fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    if node.schema.preserve_unknown_fields == Some(false) {
        report.here("`x-kubernetes-preserve-unknown-fields` cannot be false; leave it out");
    }
}
