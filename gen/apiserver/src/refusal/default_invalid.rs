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
use super::{Examined, ExaminedVersion, Node, Report};
use crate::objects::of_default;
use crate::validate::{Subject, Validator, Violation, ViolationKind, metadata_violations};
use crd_model::schema::{Schema, Step};

pub(super) fn check(examined: &Examined<'_>, report: &mut Report) {
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
    let newest_first = examined.minors.iter().rev();
    let found = newest_first.map(|minor| structural_violations(examined, version, node, default, *minor));
    let found = found.into_iter().find(|found| !found.is_empty()).unwrap_or_default();
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
    minor: u32,
) -> Vec<Violation> {
    let validator = Validator { matches: examined.matches, subject: Subject::Default };
    // A default with few values touches little of a large schema, so the schema is copied only where it must change.
    let mut schema = Cow::Borrowed(node.schema);
    if has_closed_junctors(&schema) {
        without_closed_junctors(schema.to_mut());
    }
    if node.is_root() {
        schema.to_mut().embedded_resource = true;
        return validator.validate_on(minor, &schema, default);
    }
    if !node.is_in_metadata || node.schema.embedded_resource {
        return validator.validate_on(minor, &schema, default);
    }
    // In metadata, unknown fields are dropped, and the server looks at what becomes of the whole resource.
    let mut found = surroundings(version, node, default);
    found.extend(
        validator
            .validate_on(minor, &schema, default)
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
    schema.each_mut(&mut |Schema { all_of, any_of, one_of, not, .. }| {
        for condition in all_of.iter_mut().chain(any_of).chain(one_of).chain(not.as_deref_mut()) {
            condition.each_mut(&mut |below| below.additional_properties = None);
        }
    });
}

/// Puts a default of metadata into an otherwise empty resource and checks that.
fn surroundings(version: &ExaminedVersion<'_>, node: &Node<'_>, default: &Value) -> Vec<Violation> {
    let mut value = default.clone();
    let mut at = node;
    while let Some(parent) = at.parent.map(|parent| &version.nodes[parent]) {
        value = match at.edge {
            Edge::Below(Step::Item) => Value::Array(vec![value]),
            Edge::Below(Step::Field(name)) => Value::Object(Map::from_iter([(name.to_owned(), value)])),
            Edge::Root | Edge::Below(Step::Value) | Edge::Junctor(..) => return Vec::new(),
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
