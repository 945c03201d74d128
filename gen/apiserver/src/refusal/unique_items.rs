//! `unique-items`: no node has `uniqueItems: true`, because checking it takes quadratic time.

use super::walk::Examined;
use super::{Authority, Report, Rule};

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
    check,
};

fn check(examined: &Examined<'_>, report: &mut Report) {
    for (version, node) in examined.nodes() {
        if node.schema.unique_items {
            report.node(version, node, "`uniqueItems` cannot be true; write `x-kubernetes-list-type: set`");
        }
    }
}
