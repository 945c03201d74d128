//! `keyword-id`: no node has an `id`.

use super::walk::Examined;
use super::{Authority, Report, Rule};

pub(super) const RULE: Rule = Rule {
    id: "keyword-id",
    authority: Authority::Server,
    refused: &[r#"{"field": {"type": "string", "id": "https://example.com"}}"#],
    accepted: &[r#"{"field": {"type": "string", "id": ""}}"#],
    check,
};

fn check(examined: &Examined<'_>, report: &mut Report) {
    for (version, node) in examined.nodes() {
        if node.schema.id.as_deref().is_some_and(|id| !id.is_empty()) {
            report.node(version, node, "Kubernetes has no use for `id`; leave it out");
        }
    }
}
