//! `int-or-string`: an integer or string does not keep unknown fields and is not a resource.

use super::{Authority, Check, Node, NodeReport, Rule};

pub(super) const RULE: Rule = Rule {
    id: "int-or-string",
    authority: Authority::Server,
    refused: &[
        r#"{"field": {"x-kubernetes-int-or-string": true, "x-kubernetes-preserve-unknown-fields": true}}"#,
        r#"{"field": {"type": "object", "x-kubernetes-int-or-string": true, "x-kubernetes-embedded-resource": true, "properties": {
            "spec": {"type": "object"}}}}"#,
    ],
    accepted: &[
        r#"{"field": {"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}], "pattern": "a"}}"#,
        r#"{"field": {"x-kubernetes-int-or-string": true, "allOf": [{"anyOf": [{"type": "integer"}, {"type": "string"}]}, {"minLength": 1}]}}"#,
    ],
    check: Check::Structural(check),
};

fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
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
