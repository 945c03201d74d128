//! `default-invalid`: a default is valid under its own schema, without changes.
//!
//! Without changes: fields that the schema does not list are not allowed, and defaults further down are not filled in
//! first, so that `{}` is not a valid default for an object with a required property, even if that has a default of its own. In
//! the metadata of an embedded resource the default must also make good metadata. If nothing of that is wrong, the CEL rules of the node and
//! below it are evaluated with the default, with one budget for all defaults of a version. Whatever cannot be decided counts as refused. Servers do not look at defaults in
//! maps (`additionalProperties`), nor at list types, nor at the type of `x-kubernetes-int-or-string`, nor do
//! they hold defaults against `additionalProperties: false` inside `allOf` and its like; those are
//! [`super::default_unusable`]'s.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::walk::{Edge, junctors};
use super::{Authority, Check, Examined, ExaminedVersion, Node, Report, Rule};
use crate::objects::of_default;
use crate::validate::{Subject, Validator, Violation, ViolationKind, metadata_violations};
use crd_model::schema::{AdditionalProperties, Schema};

pub(super) const RULE: Rule = Rule {
    id: "default-invalid",
    authority: Authority::Server,
    refused: &[
        r#"{"field": {"type": "string", "default": 1}}"#,
        r#"{"field": {"type": "string", "maxLength": 2, "default": "abc"}}"#,
        r#"{"field": {"type": "string", "enum": ["a"], "default": "b"}}"#,
        r#"{"field": {"type": "string", "pattern": "^b", "default": "abc"}}"#,
        r#"{"field": {"type": "object", "default": {"a": ["x", "Y"]}, "properties": {"a": {"type": "array", "items": {
            "type": "string", "pattern": "^[a-z]$"}}}}}"#,
        r#"{"field": {"type": "string", "default": "abc", "not": {"pattern": "b"}}}"#,
        r#"{"field": {"type": "integer", "format": "int32", "default": 2147483648}}"#,
        r#"{"field": {"type": "object", "default": {"a": 1}}}"#,
        r#"{"field": {"type": "object", "default": {}, "required": ["a"], "properties": {"a": {"type": "string", "default": "b"}}}}"#,
        r#"{"field": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string", "default": true}}}}}"#,
        r#"{"field": {"type": "string", "default": "abc", "anyOf": [{"maxLength": 1}, {"minLength": 4}]}}"#,
        r#"{"field": {"type": "object", "x-kubernetes-embedded-resource": true, "properties": {"metadata": {"type": "object", "properties": {
            "name": {"type": "string", "default": "a/b"}}}}}}"#,
        r#"{"field": {"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true,
            "default": {"kind": "Thing"}}}"#,
        r#"{"field": {"type": "string", "maxLength": 9, "default": "a", "x-kubernetes-validations": [{"rule": "self != 'a'"}]}}"#,
        r#"{"field": {"type": "object", "default": {"a": [1, 3]}, "properties": {"a": {"type": "array", "maxItems": 9, "items": {
            "type": "integer", "x-kubernetes-validations": [{"rule": "self < 3"}]}}}}}"#,
        // The defaults below are not filled in before.
        r#"{"field": {"type": "object", "default": {}, "properties": {"a": {"type": "integer", "default": 1}},
            "x-kubernetes-validations": [{"rule": "self.a == 1"}]}}"#,
        // The default is also its own stored value, and has none.
        r#"{"field": {"type": "integer", "default": 1, "x-kubernetes-validations": [{"rule": "self > oldSelf"}]}}"#,
        r#"{"field": {"type": "integer", "default": 1, "x-kubernetes-validations": [
            {"rule": "oldSelf.hasValue()", "optionalOldSelf": true}]}}"#,
        r#"{"root": {"type": "object", "default": {"spec": {}}, "properties": {"spec": {"type": "object"}}}}"#,
    ],
    accepted: &[
        r#"{"field": {"type": "string", "maxLength": 2, "default": "ab"}}"#,
        r#"{"field": {"type": "string", "pattern": "b", "default": "abc"}}"#,
        r#"{"field": {"type": "string", "pattern": "^([0-9]{1,5}(h|m|s|ms)){1,4}$", "default": "1h30m", "not": {"pattern": "^1m"}}}"#,
        // It is not asked.
        r#"{"field": {"type": "string", "pattern": "", "default": "abc"}}"#,
        r#"{"field": {"type": "object", "default": {}, "properties": {"a": {"type": "string", "default": "b"}}}}"#,
        r#"{"field": {"type": "string", "maxLength": 9, "default": "b", "x-kubernetes-validations": [{"rule": "self != 'a'"}]}}"#,
        // No default reaches the rule, or the rule sees the field above the default.
        r#"{"field": {"type": "object", "default": {}, "properties": {"a": {"type": "integer", "x-kubernetes-validations": [
            {"rule": "self > 1"}]}}}}"#,
        r#"{"field": {"type": "object", "x-kubernetes-validations": [{"rule": "!has(self.a) || self.a > 1"}], "properties": {
            "a": {"type": "integer", "default": 1}}}}"#,
        r#"{"field": {"type": "object", "default": {"x": {"y": 1}}, "x-kubernetes-preserve-unknown-fields": true}}"#,
        r#"{"field": {"type": "object", "default": {}, "properties": {"a": {"type": "string"}}, "allOf": [{"additionalProperties": false}]}}"#,
        r#"{"field": {"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true,
            "default": {"apiVersion": "v1", "kind": "Thing", "metadata": {"name": "A"}}}}"#,
        r#"{"field": {"type": "object", "x-kubernetes-embedded-resource": true, "properties": {"metadata": {"type": "object", "properties": {
            "labels": {"type": "object", "default": {"a.b/c": "d"}, "additionalProperties": {"type": "string"}}}}}}}"#,
    ],
    check: Check::Document(check),
};

fn check(examined: &Examined<'_>, report: &mut Report) {
    for version in &examined.versions {
        let mut cost = 0;
        for node in version.nodes.iter().filter(|node| node.is_structural && !node.is_in_map) {
            let Some(default) = node.default() else { continue };
            for violation in violations(examined, version, node, default, &mut cost) {
                report.node(version, node, format!("the default is not valid: {violation}"));
                report.about(format!("{:?} {} {default}", violation.kind, violation.path));
            }
        }
    }
}

/// What the server would refuse of a default. `cost` is that of the rules that the defaults before were evaluated with.
pub(super) fn violations(
    examined: &Examined<'_>,
    version: &ExaminedVersion<'_>,
    node: &Node<'_>,
    default: &Value,
    cost: &mut u64,
) -> Vec<Violation> {
    let found = structural_violations(examined, version, node, default);
    if found.is_empty() { rule_violations(node, default, cost) } else { found }
}

/// What the CEL rules of a node and below it say of a value.
pub(super) fn rule_violations(node: &Node<'_>, value: &Value, cost: &mut u64) -> Vec<Violation> {
    let errors = of_default(node.schema, value, node.is_root(), cost);
    errors.into_iter().map(Violation::of_rule).collect()
}

fn structural_violations(
    examined: &Examined<'_>,
    version: &ExaminedVersion<'_>,
    node: &Node<'_>,
    default: &Value,
) -> Vec<Violation> {
    let validator = Validator { matches: examined.matches, subject: Subject::Default };
    // A default with few values touches little of a large schema, so the schema is copied only where it must change.
    let mut schema = Cow::Borrowed(node.schema);
    if has_closed_junctors(&schema) {
        without_closed_junctors(schema.to_mut());
    }
    if node.is_root() {
        schema.to_mut().embedded_resource = true;
        return validator.validate(&schema, default);
    }
    if !node.is_in_metadata || node.schema.embedded_resource {
        return validator.validate(&schema, default);
    }
    // In metadata, unknown fields are dropped, and the server looks at what becomes of the whole resource.
    let mut found = surroundings(version, node, default);
    found.extend(
        validator
            .validate(&schema, default)
            .into_iter()
            .filter(|violation| violation.kind != ViolationKind::UnknownField),
    );
    found
}

/// Whether a condition of `allOf` and its like, here or below, contains `additionalProperties`.
fn has_closed_junctors(schema: &Schema) -> bool {
    junctors(schema).into_iter().flat_map(|(_, conditions)| conditions).any(has_values)
        || parts(schema).any(has_closed_junctors)
}

/// Whether a condition, or a condition in it, contains `additionalProperties`.
fn has_values(condition: &Schema) -> bool {
    condition.additional_properties.is_some()
        || junctors(condition).into_iter().flat_map(|(_, conditions)| conditions).any(has_values)
        || parts(condition).any(has_values)
}

/// The properties, items and values of a schema.
fn parts(schema: &Schema) -> impl Iterator<Item = &Schema> {
    schema.properties.values().chain(schema.items.as_deref()).chain(schema.values())
}

/// Takes `additionalProperties` out of `allOf` and its like.
fn without_closed_junctors(schema: &mut Schema) {
    let Schema { all_of, any_of, one_of, not, .. } = schema;
    for condition in all_of.iter_mut().chain(any_of).chain(one_of).chain(not.as_deref_mut()) {
        without_values(condition);
    }
    let values = match &mut schema.additional_properties {
        Some(AdditionalProperties::Values(values)) => Some(&mut **values),
        _ => None,
    };
    for below in schema.properties.values_mut().chain(schema.items.as_deref_mut()).chain(values) {
        without_closed_junctors(below);
    }
}

/// Takes `additionalProperties` out of a condition.
fn without_values(condition: &mut Schema) {
    condition.additional_properties = None;
    let Schema { all_of, any_of, one_of, not, properties, items, .. } = condition;
    let junctors = all_of.iter_mut().chain(any_of).chain(one_of).chain(not.as_deref_mut());
    for below in junctors.chain(properties.values_mut()).chain(items.as_deref_mut()) {
        without_values(below);
    }
}

/// Puts a default of metadata into an otherwise empty resource and checks that.
fn surroundings(version: &ExaminedVersion<'_>, node: &Node<'_>, default: &Value) -> Vec<Violation> {
    let mut value = default.clone();
    let mut at = node;
    while let Some(parent) = at.parent.map(|parent| &version.nodes[parent]) {
        value = match at.edge {
            Edge::Items => Value::Array(vec![value]),
            Edge::Property(name) => Value::Object(Map::from_iter([(name.to_owned(), value)])),
            Edge::Root | Edge::Values | Edge::Junctor(..) => return Vec::new(),
        };
        at = parent;
        if at.schema.embedded_resource || at.is_root() {
            break;
        }
    }
    if let Value::Object(resource) = &mut value {
        resource.entry("apiVersion").or_insert_with(|| "example.com/v1".into());
        resource.entry("kind").or_insert_with(|| "Example".into());
    }
    let resource = Schema { embedded_resource: true, ..at.schema.clone() };
    metadata_violations(&resource, &value, Subject::Default)
}
