//! `type-unknown`: a type is one of the six types of Kubernetes. `null` is not one of them; `nullable` replaces it.

use super::walk::Examined;
use super::{Authority, Report, Rule};

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
    check,
};

const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

fn check(examined: &Examined<'_>, report: &mut Report) {
    for (version, node) in examined.nodes() {
        let kind = node.kind();
        if kind.is_empty() || TYPES.contains(&kind) {
            continue;
        }
        let advice = if kind == "null" { "add `nullable: true` to the real type" } else { "use one of these" };
        report.node(version, node, format!("{kind:?} is not a type; the types are {}; {advice}", TYPES.join(", ")));
    }
}
