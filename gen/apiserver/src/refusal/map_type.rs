//! `map-type`: `x-kubernetes-map-type` is `atomic` or `granular`, and only objects have it.

use super::walk::Examined;
use super::{Authority, Report, Rule};

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
    check,
};

fn check(examined: &Examined<'_>, report: &mut Report) {
    for (version, node) in examined.nodes() {
        let Some(map_type) = &node.schema.map_type else { continue };
        if !matches!(map_type.as_ref(), "atomic" | "granular") {
            report.node(version, node, format!("x-kubernetes-map-type is {map_type:?}; it is one of atomic, granular"));
        }
        if node.kind() != "object" {
            report.node(version, node, "only an object (`type: object`) can have x-kubernetes-map-type");
        }
    }
}
