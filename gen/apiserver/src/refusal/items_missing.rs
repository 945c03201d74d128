//! `items-missing`: a list has a schema for its items.

use super::walk::Examined;
use super::{Authority, Report, Rule};

pub(super) const RULE: Rule = Rule {
    id: "items-missing",
    authority: Authority::Server,
    refused: &[
        r#"{"field": {"type": "array"}}"#,
        r#"{"field": {"type": "array", "x-kubernetes-preserve-unknown-fields": true}}"#,
    ],
    accepted: &[r#"{"field": {"type": "array", "items": {"x-kubernetes-preserve-unknown-fields": true}}}"#],
    check,
};

fn check(examined: &Examined<'_>, report: &mut Report) {
    for (version, node) in examined.structural_nodes() {
        if node.kind() == "array" && node.schema.items.is_none() {
            report.node(version, node, "a list must have `items`, the schema of every item");
        }
    }
}
