//! `default-forbidden`: `apiVersion`, `kind` and `metadata` of the resource have no defaults, nor have maps in the
//! metadata of an embedded one.

use super::{Authority, Check, Node, NodeReport, Rule};

pub(super) const RULE: Rule = Rule {
    id: "default-forbidden",
    authority: Authority::Server,
    refused: &[
        r#"{"root": {"type": "object", "properties": {"kind": {"type": "string", "default": "Thing"}}}}"#,
        r#"{"root": {"type": "object", "properties": {"metadata": {"type": "object", "default": {}}}}}"#,
        r#"{"root": {"type": "object", "properties": {"metadata": {"type": "object", "properties": {"name": {"type": "string", "default": "a"}}}}}}"#,
        r#"{"field": {"type": "object", "x-kubernetes-embedded-resource": true, "properties": {"metadata": {"type": "object", "properties": {
            "labels": {"type": "object", "additionalProperties": {"type": "string", "default": "a"}}}}}}}"#,
    ],
    accepted: &[r#"{"field": {"type": "object", "x-kubernetes-embedded-resource": true, "properties": {
            "apiVersion": {"type": "string", "default": "v1"},
            "metadata": {"type": "object", "default": {"labels": {"a": "b"}}, "properties": {
                "labels": {"type": "object", "additionalProperties": {"type": "string"}}}}}}}"#],
    check: Check::Structural(check),
};

fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    if node.default().is_none() {
        return;
    }
    if node.is_in_root_metadata {
        report.here("what is in apiVersion, kind and metadata of the resource cannot have a default");
    } else if node.is_in_map_of_metadata {
        report.here("the values of a map in metadata cannot have a default");
    }
}
