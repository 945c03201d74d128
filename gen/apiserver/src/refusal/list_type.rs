//! `list-type`: `x-kubernetes-list-type` is `atomic`, `set` or `map`, and only lists have it.

use super::walk::Examined;
use super::{Authority, Report, Rule};

pub(super) const RULE: Rule = Rule {
    id: "list-type",
    authority: Authority::Server,
    refused: &[
        r#"{"field": {"type": "array", "x-kubernetes-list-type": "list", "items": {"type": "string"}}}"#,
        r#"{"field": {"type": "array", "x-kubernetes-list-type": "", "items": {"type": "string"}}}"#,
        r#"{"field": {"type": "string", "x-kubernetes-list-type": "atomic"}}"#,
        r#"{"field": {"x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-list-type": "atomic"}}"#,
    ],
    accepted: &[r#"{"field": {"type": "array", "x-kubernetes-list-type": "atomic", "items": {"type": "string"}}}"#],
    check,
};

fn check(examined: &Examined<'_>, report: &mut Report) {
    for (version, node) in examined.nodes() {
        let Some(list_type) = &node.schema.list_type else { continue };
        if !matches!(list_type.as_ref(), "atomic" | "set" | "map") {
            report.node(
                version,
                node,
                format!("x-kubernetes-list-type is {list_type:?}; it is one of atomic, set, map"),
            );
        }
        if node.kind() != "array" {
            report.node(version, node, "only a list (`type: array`) can have x-kubernetes-list-type");
        }
    }
}
