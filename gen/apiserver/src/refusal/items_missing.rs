//! `items-missing`: a list has a schema for its items.

use super::{Authority, Check, Node, NodeReport, Rule};

pub(super) const RULE: Rule = Rule {
    id: "items-missing",
    authority: Authority::Server,
    refused: &[
        r#"{"field": {"type": "array"}}"#,
        r#"{"field": {"type": "array", "x-kubernetes-preserve-unknown-fields": true}}"#,
    ],
    accepted: &[r#"{"field": {"type": "array", "items": {"x-kubernetes-preserve-unknown-fields": true}}}"#],
    check: Check::Structural(check),
};

fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    if node.kind() == "array" && node.schema.items.is_none() {
        report.here("a list must have `items`, the schema of every item");
    }
}
