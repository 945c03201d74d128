//! `embedded-resource`: an embedded resource is an object with named fields, or one that keeps unknown fields, and not
//! itself part of metadata.

use super::{Authority, Check, Node, NodeReport, Rule};

pub(super) const RULE: Rule = Rule {
    id: "embedded-resource",
    authority: Authority::Server,
    refused: &[
        r#"{"field": {"x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true}}"#,
        r#"{"field": {"type": "string", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true}}"#,
        r#"{"field": {"type": "object", "x-kubernetes-embedded-resource": true}}"#,
        r#"{"field": {"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true,
            "additionalProperties": {"type": "string"}}}"#,
        r#"{"field": {"type": "object", "x-kubernetes-embedded-resource": true, "properties": {"metadata": {"type": "object", "properties": {
            "a": {"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true}}}}}}"#,
    ],
    accepted: &[
        r#"{"field": {"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true}}"#,
        r#"{"field": {"type": "object", "x-kubernetes-embedded-resource": true, "properties": {"spec": {"type": "object"}}}}"#,
    ],
    check: Check::Node(check),
};

fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
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
