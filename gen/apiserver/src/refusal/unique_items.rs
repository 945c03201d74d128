//! `unique-items`: no node has `uniqueItems: true`, because checking it takes quadratic time.

use super::{Authority, Check, Node, NodeReport, Rule};

pub(super) const RULE: Rule = Rule {
    id: "unique-items",
    authority: Authority::Server,
    refused: &[
        r#"{"field": {"type": "array", "uniqueItems": true, "items": {"type": "string"}}}"#,
        r#"{"field": {"type": "array", "items": {"type": "string"}, "not": {"uniqueItems": true}}}"#,
    ],
    accepted: &[
        r#"{"field": {"type": "array", "uniqueItems": false, "x-kubernetes-list-type": "set", "items": {"type": "string"}}}"#,
    ],
    check: Check::Node(check),
};

fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    if node.schema.unique_items {
        report.here("`uniqueItems` cannot be true; write `x-kubernetes-list-type: set`");
    }
}
