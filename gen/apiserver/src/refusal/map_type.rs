//! `map-type`: `x-kubernetes-map-type` is `atomic` or `granular`, and only objects have it.

use super::{Authority, Check, Node, NodeReport, Rule};

pub(super) const RULE: Rule = Rule {
    id: "map-type",
    authority: Authority::Server,
    refused: &[
        r#"{"field": {"type": "object", "x-kubernetes-map-type": "map"}}"#,
        r#"{"field": {"type": "string", "x-kubernetes-map-type": "atomic"}}"#,
        r#"{"field": {"x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-map-type": "atomic"}}"#,
    ],
    accepted: &[r#"{"field": {"type": "object", "x-kubernetes-map-type": "granular", "properties": {
            "a": {"type": "object", "x-kubernetes-map-type": "atomic", "additionalProperties": {"type": "string"}}}}}"#],
    check: Check::Node(check),
};

fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    let Some(map_type) = &node.schema.map_type else { return };
    if !matches!(map_type.as_ref(), "atomic" | "granular") {
        report.here(format!("x-kubernetes-map-type is {map_type:?}; it is one of atomic, granular"));
    }
    if node.kind() != "object" {
        report.here("only an object (`type: object`) can have x-kubernetes-map-type");
    }
}
