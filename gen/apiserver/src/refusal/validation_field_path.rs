//! `validation-field-path`: the `fieldPath` of a CEL rule leads from its node to a field that the schema declares.

use super::field_path::resolve;
use super::validation_text::{has_line_break, name};
use super::{Authority, Check, Node, NodeReport, Rule};

pub(super) const RULE: Rule = Rule {
    id: "validation-field-path",
    authority: Authority::Server,
    refused: &[
        r#"{"field": {"type": "object", "properties": {"a": {"type": "string"}}, "x-kubernetes-validations": [{"rule": "true", "fieldPath": " "}]}}"#,
        r#"{"field": {"type": "object", "properties": {"a": {"type": "string"}}, "x-kubernetes-validations": [{"rule": "true", "fieldPath": "a"}]}}"#,
        r#"{"field": {"type": "object", "properties": {"a": {"type": "string"}}, "x-kubernetes-validations": [{"rule": "true", "fieldPath": ".b"}]}}"#,
        r#"{"field": {"type": "object", "properties": {"a": {"type": "string"}}, "x-kubernetes-validations": [{"rule": "true", "fieldPath": ".a\n"}]}}"#,
        r#"{"field": {"type": "array", "items": {"type": "string"}, "x-kubernetes-validations": [{"rule": "true", "fieldPath": "[0]"}]}}"#,
    ],
    accepted: &[
        r#"{"field": {"type": "object", "properties": {"a": {"type": "object", "properties": {"b.c": {"type": "string"}}}},
            "x-kubernetes-validations": [{"rule": "true", "fieldPath": ".a['b.c']"}]}}"#,
        r#"{"field": {"type": "object", "additionalProperties": {"type": "string"},
            "x-kubernetes-validations": [{"rule": "true", "fieldPath": ".anything"}]}}"#,
    ],
    check: Check::Node(check),
};

fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    for (index, validation) in node.schema.validations.iter().enumerate() {
        let Some(path) = validation.field_path.as_deref().filter(|path| !path.is_empty()) else { continue };
        let problem = if path.trim().is_empty() {
            "it is blank".to_owned()
        } else if has_line_break(path) {
            "it has a line break".to_owned()
        } else if let Err(problem) = resolve(node.schema, path, true) {
            problem
        } else {
            continue;
        };
        report.here(format!("{}: the fieldPath {path:?} leads to no field: {problem}", name(index, validation)));
    }
}
