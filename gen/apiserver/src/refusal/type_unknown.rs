//! `type-unknown`: a type is one of the six types of Kubernetes. `null` is not one of them; `nullable` replaces it.

use super::{Authority, Check, Node, NodeReport, Rule};

pub(super) const RULE: Rule = Rule {
    id: "type-unknown",
    authority: Authority::Server,
    refused: &[
        r#"{"field": {"type": "null"}}"#,
        r#"{"field": {"type": "int"}}"#,
        r#"{"field": {"type": "object", "additionalProperties": {"type": "String"}}}"#,
    ],
    accepted: &[
        r#"{"field": {"type": "object", "properties": {"a": {"type": "string", "nullable": true}, "b": {"type": "number"},
            "c": {"type": "integer"}, "d": {"type": "boolean"}, "e": {"type": "array", "items": {"type": "string"}}}}}"#,
    ],
    check: Check::Node(check),
};

const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    let kind = node.kind();
    if kind.is_empty() || TYPES.contains(&kind) {
        return;
    }
    let advice = if kind == "null" { "add `nullable: true` to the real type" } else { "use one of these" };
    report.here(format!("{kind:?} is not a type; the types are {}; {advice}", TYPES.join(", ")));
}
