//! `junctor-unmatched-below`: the same below the root.
//!
//! Only this crate refuses it. Servers accept it there (seen in 1.32 to 1.37) although the documentation forbids it. Where the field is
//! not declared, it is pruned before anything is checked, so that the condition is about nothing.

use super::junctor_unmatched::refuse_unmatched;
use super::{Authority, Check, Examined, Report, Rule};

pub(super) const RULE: Rule = Rule {
    id: "junctor-unmatched-below",
    authority: Authority::House,
    refused: &[
        r#"{"field": {"type": "object", "properties": {"a": {"type": "string"}}, "anyOf": [{"properties": {"b": {"minLength": 1}}}]}}"#,
        r#"{"field": {"type": "string", "anyOf": [{"items": {"minLength": 1}}]}}"#,
    ],
    accepted: &[
        r#"{"field": {"type": "object", "properties": {"a": {"type": "string"}}, "anyOf": [{"properties": {"a": {"minLength": 1}}}]}}"#,
        r#"{"field": {"x-kubernetes-preserve-unknown-fields": true, "anyOf": [{"properties": {"b": {"minLength": 1}}}]}}"#,
    ],
    check: Check::Document(check),
};

fn check(examined: &Examined<'_>, report: &mut Report) {
    for (version, node) in examined.structural_nodes() {
        if !node.is_root() && node.schema.preserve_unknown_fields != Some(true) {
            refuse_unmatched(
                version,
                node,
                "the server would drop it before it looks, so the condition means nothing",
                report,
            );
        }
    }
}
