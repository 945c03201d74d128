//! `properties-and-values`: an object is a struct (`properties`) or a map (`additionalProperties`), not both.
//!
//! `additionalProperties: true` next to properties is accepted, and so is `additionalProperties: false` on its own.

use super::{Authority, Check, Node, NodeReport, Rule};
use crd_model::schema::AdditionalProperties;

pub(super) const RULE: Rule = Rule {
    id: "properties-and-values",
    authority: Authority::Server,
    refused: &[
        r#"{"field": {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "string"}}}"#,
        r#"{"field": {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false}}"#,
    ],
    accepted: &[
        r#"{"field": {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": true}}"#,
        r#"{"field": {"type": "object", "additionalProperties": false}}"#,
        r#"{"field": {"type": "object", "properties": {}, "additionalProperties": {"type": "string"}}}"#,
    ],
    check: Check::Node(check),
};

fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    let additional = &node.schema.additional_properties;
    if !node.schema.properties.is_empty() && !matches!(additional, None | Some(AdditionalProperties::Allowed(true))) {
        let message =
            "`properties` and `additionalProperties` exclude each other: an object has named fields or is a map";
        report.here(message);
    }
}
