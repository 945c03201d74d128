//! What rules demand: a value that satisfies the rules of a node, for each node that the objects of a search must have.
//!
//! The smallest text satisfies no rule that lists texts, and two such nodes are too far from any small edit.
//!
//! Invariants: only the schema of a search changes, and its objects are checked as all other ones. Below a node that has a value already, the
//! values fit. The values of nodes on the way to the change lead there.

use crd_apiserver::apply_defaults;
use crd_model::Schema;
use crd_model::schema::{Step, nodes};
use serde_json::Value;

use super::Target;
use super::edited::Edits;
use super::slim::slim;
use super::trial::Trial;

/// These schemas without what does not lead to the path, with the values that the rules of the first one demand; none if they demand none.
pub(super) fn demanded<const N: usize>(
    trial: &Trial<'_>,
    schemas: [&Schema; N],
    Target { path, frame, .. }: Target<'_>,
    other: Option<&Schema>,
) -> Option<[Schema; N]> {
    let mut old = schemas.first().copied()?.clone();
    lead(&mut old, path.steps());
    // The name is always the same.
    let name = frame.get("metadata").and_then(|metadata| metadata["name"].as_str()).unwrap_or_default();
    for rule in &mut old.validations {
        rule.rule = rule.rule.replace("self.metadata.name", &format!("'{name}'")).into();
    }
    let mut demands = Vec::new();
    for (at, _) in nodes(&slim(&old, path, other)).into_iter().rev() {
        let value = at.node(&old).filter(|node| !node.validations.is_empty()).and_then(|node| satisfying(trial, node));
        if let (Some(value), Some(node)) = (value, at.node_mut(&mut old)) {
            fix(node, &value, path.steps().strip_prefix(at.steps()));
            demands.push((at, value));
        }
    }
    let with_values = |schema: &Schema| {
        let mut schema = schema.clone();
        lead(&mut schema, path.steps());
        for (at, value) in &demands {
            if let Some(node) = at.node_mut(&mut schema) {
                fix(node, value, path.steps().strip_prefix(at.steps()));
            }
        }
        slim(&schema, path, other)
    };
    (!demands.is_empty()).then(|| schemas.map(with_values))
}

/// Lets every value of a node lead to the path.
fn lead(node: &mut Schema, path: &[Step]) {
    let Some((step, rest)) = path.split_first() else { return };
    match step {
        Step::Field(name) => {
            if !node.required.iter().any(|required| **required == **name) {
                node.required.push(name.clone().into());
                node.required.sort_unstable();
            }
        }
        Step::Item => node.min_items = node.min_items.max(Some(1)),
        Step::Value => node.min_properties = node.min_properties.max(Some(1)),
    }
    if let Some(below) = step.below_mut(node) {
        below.default = None;
        lead(below, rest);
    }
}

/// The first value of a node that satisfies its rules, unless the smallest ones do.
fn satisfying(trial: &Trial<'_>, node: &Schema) -> Option<Value> {
    Edits::of(trial).satisfying(node)
}

/// Lets a node have only this value; on the way to the change, only its fields next to the way. `rest` is the way below the node.
pub(super) fn fix(node: &mut Schema, value: &Value, rest: Option<&[Step]>) {
    // No server has a CRD with a default that its schema refuses.
    node.default = None;
    match value {
        Value::Object(entries) if !node.properties.is_empty() => {
            for (name, value) in entries {
                let below = match rest.and_then(<[Step]>::split_first) {
                    Some((Step::Field(next), rest)) if next == name => Some(rest),
                    _ => None,
                };
                let Some(field) = node.properties.get_mut(name) else { continue };
                fix(field, value, below);
                if !node.required.iter().any(|required| **required == **name) {
                    node.required.push(name.to_owned().into());
                    node.required.sort_unstable();
                }
            }
        }
        // The search finds the first item.
        Value::Array(values) if values.len() < 2 => {
            if rest.is_none() {
                node.min_items = i64::try_from(values.len()).ok();
                if let (Some(items), Some(first)) = (node.items.as_deref_mut(), values.first()) {
                    fix(items, first, None);
                }
            }
        }
        Value::Array(_) if rest.is_some_and(|rest| !rest.is_empty()) => {}
        _ => {
            // As the server compares it.
            let mut complete = value.clone();
            apply_defaults(node, &mut complete);
            node.enumeration = Some(vec![complete]);
        }
    }
}
