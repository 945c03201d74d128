//! `preserve-unknown-fields`: `x-kubernetes-preserve-unknown-fields` is true or absent.

use super::{Authority, Check, Node, NodeReport, Rule};

pub(super) const RULE: Rule = Rule {
    id: "preserve-unknown-fields",
    authority: Authority::Server,
    refused: &[r#"{"field": {"type": "object", "x-kubernetes-preserve-unknown-fields": false}}"#],
    accepted: &[r#"{"field": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}"#],
    check: Check::Node(check),
};

fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    if node.schema.preserve_unknown_fields == Some(false) {
        report.here("`x-kubernetes-preserve-unknown-fields` cannot be false; leave it out");
    }
}
