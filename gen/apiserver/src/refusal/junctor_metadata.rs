//! `junctor-metadata`: no condition inside a junctor is about a property with the name `metadata`, at any depth.

use super::walk::Edge;
use super::{Authority, Check, Node, NodeReport, Rule};

pub(super) const RULE: Rule = Rule {
    id: "junctor-metadata",
    authority: Authority::Server,
    refused: &[
        r#"{"root": {"type": "object", "properties": {"metadata": {"type": "object"}}, "anyOf": [{"properties": {"metadata": {"required": ["name"]}}}]}}"#,
        r#"{"field": {"type": "object", "properties": {"metadata": {"type": "object"}}, "not": {"properties": {"metadata": {"maxProperties": 1}}}}}"#,
    ],
    accepted: &[
        r#"{"field": {"type": "object", "properties": {"metadata": {"type": "object"}}, "not": {"required": ["metadata"]}}}"#,
    ],
    check: Check::Node(check),
};

fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    if !node.is_structural && node.edge == Edge::Property("metadata") {
        report.here("a junctor cannot say anything about a property called `metadata`; use a CEL rule");
    }
}
