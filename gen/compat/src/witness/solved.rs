//! Values of a node for which the rules of the old schema hold and the changed rule does not, as a solver finds them.
//!
//! Invariants: the values are proposals, which a trial confirms. What the rules do not read has the smallest value. The same question has the
//! same values.

use crd_cel::implication::counterexamples;
use crd_inclusion::{Difference, Edit};
use crd_model::Schema;
use crd_model::schema::SchemaPath;
use serde_json::Value;

use super::smallest::smallest;

/// How many values are proposed.
const MOST: usize = 6;
/// How much work the solver has.
const WORK: usize = 40_000;

/// The values of the node of a changed rule.
pub(super) fn values(old: &Schema, path: &SchemaPath, difference: &Difference<'_>) -> Vec<Value> {
    let (Some(node), Difference::Rule(Edit::Added(changed) | Edit::Replaced { new: changed, .. })) =
        (path.node(old), difference)
    else {
        return Vec::new();
    };
    let assumed = node.validations.iter().map(|validation| &*validation.rule).collect::<Vec<_>>();
    let found = counterexamples(node, path.steps().is_empty(), &assumed, &changed.rule, MOST, &mut { WORK });
    found.iter().map(|value| completed(node, value)).collect()
}

/// A value with what its schema requires.
fn completed(node: &Schema, value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut object =
                smallest(node).into_iter().find_map(|value| value.as_object().cloned()).unwrap_or_default();
            for (name, value) in fields {
                object.insert(
                    name.clone(),
                    node.entry(name).map_or_else(|| value.clone(), |child| completed(child, value)),
                );
            }
            Value::Object(object)
        }
        Value::Array(items) => match node.items.as_deref() {
            Some(item) => items.iter().map(|value| completed(item, value)).collect(),
            None => value.clone(),
        },
        Value::Null => smallest(node).into_iter().next().unwrap_or(Value::Null),
        value => value.clone(),
    }
}
