//! `list-set`: the items of a set are scalars, or objects and lists that are replaced as a whole, and never null.
//!
//! An object is replaced as a whole when it has `x-kubernetes-map-type: atomic`, a list when it has no list type or
//! `atomic`. From 1.37 on servers warn about both: server-side apply and CEL do not know how to handle such sets.

use super::{Authority, Check, Node, NodeReport, Rule};

pub(super) const RULE: Rule = Rule {
    id: "list-set",
    authority: Authority::Server,
    refused: &[
        r#"{"field": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "object"}}}"#,
        r#"{"field": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "object", "x-kubernetes-map-type": "granular"}}}"#,
        r#"{"field": {"type": "array", "x-kubernetes-list-type": "set",
            "items": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}}}}"#,
        r#"{"field": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string", "nullable": true}}}"#,
    ],
    accepted: &[
        r#"{"field": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}}}"#,
        r#"{"field": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "object", "x-kubernetes-map-type": "atomic"}}}"#,
        r#"{"field": {"type": "array", "x-kubernetes-list-type": "set",
            "items": {"type": "array", "x-kubernetes-list-type": "atomic", "items": {"type": "string"}}}}"#,
        r#"{"field": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "array", "items": {"type": "string"}}}}"#,
        r#"{"field": {"type": "array", "x-kubernetes-list-type": "set", "items": {"x-kubernetes-int-or-string": true}}}"#,
    ],
    check: Check::Node(check),
};

fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    let (Some("set"), Some(items)) = (node.schema.list_type.as_deref(), &node.schema.items) else { return };
    if items.nullable {
        report.here("the items of a set cannot be nullable");
    }
    // On anything but a list the list type itself is refused.
    match items.kind.as_deref() {
        _ if node.kind() != "array" => {}
        Some("object") if items.map_type.as_deref() != Some("atomic") => {
            report.here(
                "the objects in a set must have `x-kubernetes-map-type: atomic`, or two of them could not be compared",
            );
        }
        Some("array") if items.list_type.as_deref().is_some_and(|list_type| list_type != "atomic") => {
            report.here("the lists in a set must be atomic, or two of them could not be compared");
        }
        _ => {}
    }
}
