//! Paths in an object ([`ObjectStep`]) that belong to a path in its schema.
//!
//! Invariants: a path in an object has one step for each step of its schema path; it is printed as the API server prints paths.

use crd_model::path::value_at_mut;
use crd_model::schema::{SchemaPath, Step};
use serde_json::Value;

use super::values::map_key;
pub use crd_model::path::{Step as ObjectStep, text as show_object_path};

/// The paths in a value that match a path in its schema, at most `most`.
pub(super) fn matching(path: &SchemaPath, value: &Value, most: usize) -> Vec<Vec<ObjectStep>> {
    let mut found = Vec::new();
    collect(path.steps(), value, &mut Vec::new(), most, &mut found);
    found
}

fn collect(steps: &[Step], value: &Value, path: &mut Vec<ObjectStep>, most: usize, found: &mut Vec<Vec<ObjectStep>>) {
    if found.len() >= most {
        return;
    }
    let Some((step, rest)) = steps.split_first() else {
        found.push(path.clone());
        return;
    };
    let mut go = |step: ObjectStep, below: &Value| {
        path.push(step);
        collect(rest, below, path, most, found);
        path.pop();
    };
    match (step, value) {
        (Step::Field(name), Value::Object(object)) => {
            if let Some(below) = object.get(name) {
                go(ObjectStep::Field(name.clone()), below);
            }
        }
        (Step::Item, Value::Array(items)) => {
            items.iter().enumerate().for_each(|(index, item)| go(ObjectStep::Item(index), item));
        }
        (Step::Value, Value::Object(object)) => {
            object.iter().for_each(|(name, below)| go(ObjectStep::Field(name.clone()), below));
        }
        _ => {}
    }
}

/// The step to a new value.
pub(super) fn step_to_new(step: &Step) -> ObjectStep {
    match step {
        Step::Field(name) => ObjectStep::Field(name.clone()),
        Step::Item => ObjectStep::Item(0),
        Step::Value => ObjectStep::Field(map_key(0)),
    }
}

/// The value with a new value at the path; `None` if the path does not exist. The path can add an item or a property.
pub(super) fn put(value: &Value, object_path: &[ObjectStep], new: Value) -> Option<Value> {
    let mut complete = value.clone();
    let Some((last, before)) = object_path.split_last() else { return Some(new) };
    match (last, value_at_mut(&mut complete, before)?) {
        (ObjectStep::Field(name), Value::Object(object)) => drop(object.insert(name.clone(), new)),
        (ObjectStep::Item(index), Value::Array(items)) if *index == items.len() => items.push(new),
        (ObjectStep::Item(index), Value::Array(items)) => *items.get_mut(*index)? = new,
        _ => return None,
    }
    Some(complete)
}
