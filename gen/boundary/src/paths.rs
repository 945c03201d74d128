//! Paths: in a schema ([`SchemaPath`]) and in an object ([`ObjectStep`]).
//!
//! Invariants: a path in an object has one step for each step of its schema path; it is printed as the API server prints paths.

use std::fmt;

use serde_json::Value;

use super::values::map_key;
pub use crd_model::path::{Step as ObjectStep, text as show_object_path};
use crd_model::schema::{AdditionalProperties, Schema};

/// A step from a node of a schema to one below it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// To a property.
    Field(String),
    /// To the items of a list.
    Item,
    /// To the values of a map.
    Value,
}

/// The path of a node in a schema.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SchemaPath {
    steps: Vec<Step>,
}

impl SchemaPath {
    /// The schema itself.
    pub fn root() -> Self {
        Self::default()
    }

    /// The path one step below.
    pub fn with(&self, step: Step) -> Self {
        let mut steps = self.steps.clone();
        steps.push(step);
        Self { steps }
    }

    /// The path one step above; `None` at the root.
    pub fn above(&self) -> Option<Self> {
        let (_, steps) = self.steps.split_last()?;
        Some(Self { steps: steps.to_vec() })
    }

    /// The steps from the root.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The node at this path.
    pub fn node<'s>(&self, schema: &'s Schema) -> Option<&'s Schema> {
        self.steps.iter().try_fold(schema, |node, step| match step {
            Step::Field(name) => node.properties.get(name),
            Step::Item => node.items.as_deref(),
            Step::Value => node.values(),
        })
    }

    /// The node at this path, to be changed.
    pub fn node_mut<'s>(&self, schema: &'s mut Schema) -> Option<&'s mut Schema> {
        self.steps.iter().try_fold(schema, |node, step| match step {
            Step::Field(name) => node.properties.get_mut(name),
            Step::Item => node.items.as_deref_mut(),
            Step::Value => match &mut node.additional_properties {
                Some(AdditionalProperties::Values(values)) => Some(&mut **values),
                _ => None,
            },
        })
    }

    /// The paths in a value that match this path, at most `most`.
    pub(super) fn object_paths(&self, value: &Value, most: usize) -> Vec<Vec<ObjectStep>> {
        let mut found = Vec::new();
        collect(&self.steps, value, &mut Vec::new(), most, &mut found);
        found
    }
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

impl fmt::Display for SchemaPath {
    /// `spec.listeners[].tls.options.*`; the root is `(root)`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.steps.is_empty() {
            return formatter.write_str("(root)");
        }
        for (index, step) in self.steps.iter().enumerate() {
            let dot = if index == 0 { "" } else { "." };
            match step {
                Step::Field(name) => write!(formatter, "{dot}{name}")?,
                Step::Item => formatter.write_str("[]")?,
                Step::Value => write!(formatter, "{dot}*")?,
            }
        }
        Ok(())
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

/// The value at this path.
pub(super) fn at<'v>(value: &'v Value, object_path: &[ObjectStep]) -> Option<&'v Value> {
    object_path.iter().try_fold(value, |value, step| match step {
        ObjectStep::Field(name) => value.get(name),
        ObjectStep::Item(index) => value.get(index),
    })
}

/// The value with a new value at the path; `None` if the path does not exist. The path can add an item or a property.
pub(super) fn put(value: &Value, object_path: &[ObjectStep], new: Value) -> Option<Value> {
    let mut complete = value.clone();
    let Some((last, before)) = object_path.split_last() else { return Some(new) };
    let mut node = &mut complete;
    for step in before {
        node = match step {
            ObjectStep::Field(name) => node.get_mut(name)?,
            ObjectStep::Item(index) => node.get_mut(index)?,
        };
    }
    match (last, node) {
        (ObjectStep::Field(name), Value::Object(object)) => drop(object.insert(name.clone(), new)),
        (ObjectStep::Item(index), Value::Array(items)) if *index == items.len() => items.push(new),
        (ObjectStep::Item(index), Value::Array(items)) => *items.get_mut(*index)? = new,
        _ => return None,
    }
    Some(complete)
}
