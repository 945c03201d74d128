//! `list-type`: `x-kubernetes-list-type` is `atomic`, `set` or `map`, and only lists have it.

use super::{Authority, Check, Node, NodeReport, Rule};

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
    check: Check::Node(check),
};

fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    let Some(list_type) = &node.schema.list_type else { return };
    if !matches!(list_type.as_ref(), "atomic" | "set" | "map") {
        report.here(format!("x-kubernetes-list-type is {list_type:?}; it is one of atomic, set, map"));
    }
    if node.kind() != "array" {
        report.here("only a list (`type: array`) can have x-kubernetes-list-type");
    }
}
