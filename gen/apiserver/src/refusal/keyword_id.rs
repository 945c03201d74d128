//! `keyword-id`: no node has an `id`.

use super::{Authority, Check, Node, NodeReport, Rule};

pub(super) const RULE: Rule = Rule {
    id: "keyword-id",
    authority: Authority::Server,
    refused: &[r#"{"field": {"type": "string", "id": "https://example.com"}}"#],
    accepted: &[r#"{"field": {"type": "string", "id": ""}}"#],
    check: Check::Node(check),
};

fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    if node.schema.id.as_deref().is_some_and(|id| !id.is_empty()) {
        report.here("Kubernetes has no use for `id`; leave it out");
    }
}
