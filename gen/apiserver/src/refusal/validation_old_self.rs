//! `validation-old-self`: rules read `oldSelf` only where the server can match a new value with its old value.
//!
//! It cannot match them below the items of a list, unless the list is of type map. Whether a rule mentions `oldSelf`
//! depends on its tokens ([`crd_cel::mentions_old_self`]); a message expression does not count.

use crd_cel::mentions_old_self;

use super::validation_text::name;
use super::{Authority, Check, Node, NodeReport, Rule};

pub(super) const RULE: Rule = Rule {
    id: "validation-old-self",
    authority: Authority::Server,
    refused: &[
        r#"{"field": {"type": "array", "maxItems": 3, "items": {"type": "string", "maxLength": 3,
            "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}}}"#,
        r#"{"field": {"type": "array", "maxItems": 3, "x-kubernetes-list-type": "set", "items": {"type": "string", "maxLength": 3,
            "x-kubernetes-validations": [{"rule": "oldSelf.hasValue()", "optionalOldSelf": true}]}}}"#,
        r#"{"field": {"type": "array", "maxItems": 3, "items": {"type": "object", "properties": {"a": {"type": "string", "maxLength": 3,
            "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}}}}}"#,
    ],
    accepted: &[
        r#"{"field": {"type": "array", "maxItems": 3, "items": {"type": "string", "maxLength": 3,
            "x-kubernetes-validations": [{"rule": "self != 'oldSelf' // oldSelf", "message": "m"}]}}}"#,
        r#"{"field": {"type": "array", "maxItems": 3, "items": {"type": "string", "maxLength": 3},
            "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}}"#,
        r#"{"field": {"type": "array", "maxItems": 3, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"],
            "items": {"type": "object", "required": ["a"], "x-kubernetes-map-type": "atomic", "properties": {"a": {"type": "string",
                "maxLength": 3, "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}}}}}"#,
    ],
    check: Check::Structural(check),
};

fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    let Some(list) = &node.unstable_list else { return };
    for (index, validation) in node.schema.validations.iter().enumerate() {
        if mentions_old_self(&validation.rule) {
            let message = format!(
                "{} mentions oldSelf, but the items of {list} do not have old values; make {list} a list of type map, or move the rule to the whole list",
                name(index, validation)
            );
            report.here(message);
        }
    }
}
