//! What rules demand: a value that satisfies the rules of a node, for each node that the objects of a search must have.
//!
//! The smallest text satisfies no rule that lists texts, and two such nodes are too far from any small edit.
//!
//! Invariants: only the schema of a search changes, and its objects are checked as all other ones. Below a node that has a value already, the
//! values fit.

use crd_boundary::{SchemaPath, Step, nodes};
use crd_inclusion::Acceptor;
use crd_model::Schema;
use serde_json::Value;

use super::assigned;
use super::climb::smallest;
use super::constants::Constants;
use super::slim::slim;
use super::trial::{Trial, work_of};
use super::{RULE, take};

/// These schemas without what does not lead to the path, with the values that the old rules demand; none if they demand none.
pub(super) fn demanded<const N: usize>(
    trial: &Trial<'_>,
    schemas: [&Schema; N],
    path: &SchemaPath,
    other: Option<&Schema>,
) -> Option<[Schema; N]> {
    let mut old = trial.old.clone();
    let mut demands = Vec::new();
    for (at, _) in nodes(&slim(trial.old, path, other)).into_iter().rev().filter(|(at, _)| !at.steps().is_empty()) {
        let value = at.node(&old).filter(|node| !node.validations.is_empty()).and_then(|node| satisfying(trial, node));
        if let (Some(value), Some(node)) = (value, at.node_mut(&mut old)) {
            fix(node, &value, path.steps().strip_prefix(at.steps()));
            demands.push((at, value));
        }
    }
    let with_values = |schema: &Schema| {
        let mut schema = schema.clone();
        for (at, value) in &demands {
            if let Some(node) = at.node_mut(&mut schema) {
                fix(node, value, path.steps().strip_prefix(at.steps()));
            }
        }
        slim(&schema, path, other)
    };
    (!demands.is_empty()).then(|| schemas.map(with_values))
}

/// The first value of a node that satisfies its rules, unless the smallest ones do.
fn satisfying(trial: &Trial<'_>, node: &Schema) -> Option<Value> {
    take(trial.work, RULE * node.validations.len());
    let acceptor = Acceptor::new(node)?;
    let accepts = |value: &Value| {
        take(trial.work, 2 * work_of(node, value));
        !trial.is_exhausted() && acceptor.accepts(value.clone())
    };
    if smallest(node).iter().any(accepts) {
        return None;
    }
    let rules = node.validations.iter().map(|rule| &*rule.rule).collect::<Vec<_>>();
    assigned::values(node, &Constants::in_texts(&rules), false).into_iter().find(accepts)
}

/// Lets a node have only this value; on the way to the change, only its fields next to the way. `rest` is the way below the node.
fn fix(node: &mut Schema, value: &Value, rest: Option<&[Step]>) {
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
        Value::Array(_) if rest.is_some() => {}
        Value::Array(values) => {
            node.min_items = i64::try_from(values.len()).ok();
            if let (Some(items), Some(first)) = (node.items.as_deref_mut(), values.first()) {
                fix(items, first, None);
            }
        }
        _ => node.enumeration = Some(vec![value.clone()]),
    }
}
