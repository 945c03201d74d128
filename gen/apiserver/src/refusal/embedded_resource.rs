//! `embedded-resource`: an embedded resource is an object with named fields, or one that keeps unknown fields, and not
//! itself part of metadata.

use super::{Node, NodeReport};

pub(super) fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    if !node.schema.embedded_resource {
        return;
    }
    let schema = node.schema;
    if node.is_in_metadata {
        report.here("metadata cannot have a resource in it");
    }
    // In a junctor the keyword itself is refused.
    if !node.is_structural {
        return;
    }
    if node.kind() != "object" {
        report.here("an embedded resource has `type: object`");
    }
    if schema.additional_properties.is_some() {
        report.here("an embedded resource cannot be a map; leave `additionalProperties` out");
    }
    if schema.preserve_unknown_fields != Some(true) && schema.properties.is_empty() {
        report.here(
            "an embedded resource has `properties` or `x-kubernetes-preserve-unknown-fields: true`; otherwise nothing of it is kept",
        );
    }
}
