//! `int-or-string`: an integer or string does not keep unknown fields and is not a resource.

use super::{Node, NodeReport};

pub(super) fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    if !node.schema.int_or_string {
        return;
    }
    if node.schema.preserve_unknown_fields == Some(true) {
        report.here("an integer or string has no fields to preserve; leave `x-kubernetes-preserve-unknown-fields` out");
    }
    if node.schema.embedded_resource {
        report.here("an integer or string is not a resource; leave `x-kubernetes-embedded-resource` out");
    }
}
