//! `root-type`: the root of a schema has `type: object`, since every resource is an object.

use super::walk::Examined;
use super::{Authority, Report, Rule};

pub(super) const RULE: Rule = Rule {
    id: "root-type",
    authority: Authority::Server,
    refused: &[r#"{"root": {"type": "array", "items": {"type": "string"}}}"#, r#"{"root": {"type": "string"}}"#],
    accepted: &[r#"{"root": {"type": "object"}}"#],
    check,
};

fn check(examined: &Examined<'_>, report: &mut Report) {
    for (version, node) in examined.nodes().filter(|(_, node)| node.is_root()) {
        // A root without any type is another rule's.
        if !matches!(node.kind(), "object" | "") {
            report.node(version, node, format!("the root of a schema has the type object, not {}", node.kind()));
        }
    }
}
