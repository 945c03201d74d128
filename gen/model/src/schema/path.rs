//! Paths of nodes in a schema, and the nodes that they lead to.
//!
//! Invariants: a node has one path; branches (`allOf`, `anyOf`, `oneOf`, `not`) are not below a node.

use std::fmt;

use super::{AdditionalProperties, Schema};

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

/// Every node of a schema with its path, the schema itself first.
pub fn nodes(schema: &Schema) -> Vec<(SchemaPath, &Schema)> {
    fn walk<'s>(path: SchemaPath, node: &'s Schema, found: &mut Vec<(SchemaPath, &'s Schema)>) {
        let below = below(node);
        found.push((path.clone(), node));
        for (step, below) in below {
            walk(path.with(step), below, found);
        }
    }
    let mut found = Vec::new();
    walk(SchemaPath::root(), schema, &mut found);
    found
}

/// The nodes directly below one, with the steps to them. Branches are not below a node.
pub fn below(node: &Schema) -> Vec<(Step, &Schema)> {
    let mut found: Vec<(Step, &Schema)> =
        node.properties.iter().map(|(name, property)| (Step::Field(name.to_string()), property)).collect();
    found.extend(node.items.as_deref().map(|items| (Step::Item, items)));
    found.extend(node.values().map(|values| (Step::Value, values)));
    found
}
