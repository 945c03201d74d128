//! `required-unknown`: every required property is a property.
//!
//! Ours. The server accepts a `required` that names no property, drops the field from every object as unknown, and then
//! refuses the object because the field is missing.

use super::{Authority, Check, Node, NodeReport, Rule};

pub(super) const RULE: Rule = Rule {
    id: "required-unknown",
    authority: Authority::House,
    refused: &[r#"{"field": {"type": "object", "required": ["a", "b"], "properties": {"a": {"type": "string"}}}}"#],
    accepted: &[
        r#"{"root": {"type": "object", "required": ["metadata"]}}"#,
        r#"{"field": {"type": "object", "required": ["a"], "additionalProperties": {"type": "string"}}}"#,
        r#"{"field": {"type": "object", "required": ["a"], "x-kubernetes-preserve-unknown-fields": true}}"#,
    ],
    check: Check::Structural(check),
};

fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    let schema = node.schema;
    if schema.additional_properties.is_some() || schema.preserve_unknown_fields == Some(true) {
        return;
    }
    let is_resource = node.is_root() || schema.embedded_resource;
    for name in &schema.required {
        let is_of_resource = is_resource && matches!(name.as_ref(), "apiVersion" | "kind" | "metadata");
        if !is_of_resource && !schema.properties.contains_key(name) {
            let message = format!(
                "`{name}` is required but no property; the server would drop it as unknown and then refuse every object for its absence"
            );
            report.here(message);
        }
    }
}
