//! Paths of nodes in a schema, and the nodes that they lead to.
//!
//! Invariants: a node has one path; branches (`allOf`, `anyOf`, `oneOf`, `not`) are not below a node.

use std::borrow::{Borrow, Cow};
use std::fmt;

use super::{AdditionalProperties, Schema};
use crate::path::{Part, push, text};

/// A step from a node of a schema to one below it. Names are owned in paths that are kept, and borrowed (`Step<&str>`) in walks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step<N = String> {
    /// To a property.
    Field(N),
    /// To the items of a list.
    Item,
    /// To the values of a map.
    Value,
}

impl<N: Borrow<str>> Step<N> {
    /// The node that the step leads to.
    pub fn node<'s>(&self, schema: &'s Schema) -> Option<&'s Schema> {
        match self {
            Self::Field(name) => schema.properties.get(name.borrow()),
            Self::Item => schema.items.as_deref(),
            Self::Value => schema.values(),
        }
    }

    /// The node that the step leads to, to be changed.
    pub fn node_mut<'s>(&self, schema: &'s mut Schema) -> Option<&'s mut Schema> {
        match self {
            Self::Field(name) => schema.properties.get_mut(name.borrow()),
            Self::Item => schema.items.as_deref_mut(),
            Self::Value => match &mut schema.additional_properties {
                Some(AdditionalProperties::Values(values)) => Some(&mut **values),
                _ => None,
            },
        }
    }

    /// The name of the property.
    pub fn name(&self) -> Option<&N> {
        match self {
            Self::Field(name) => Some(name),
            Self::Item | Self::Value => None,
        }
    }

    /// The path of the node that the step leads to from the node at a path.
    pub fn path_from(&self, path: &str) -> String {
        let mut path = path.to_owned();
        push(&mut path, &Part::from(self));
        path
    }

    /// The step with a borrowed name.
    pub fn borrowed(&self) -> Step<&str> {
        match self {
            Self::Field(name) => Step::Field(name.borrow()),
            Self::Item => Step::Item,
            Self::Value => Step::Value,
        }
    }

    /// The step with a name of its own.
    pub fn owned(&self) -> Step {
        match self {
            Self::Field(name) => Step::Field(name.borrow().to_owned()),
            Self::Item => Step::Item,
            Self::Value => Step::Value,
        }
    }
}

impl<'p, N: Borrow<str>> From<&'p Step<N>> for Part<'p> {
    fn from(step: &'p Step<N>) -> Self {
        match step {
            Step::Field(name) => Self::Name(Cow::Borrowed(name.borrow())),
            Step::Item | Step::Value => Self::Sign(Cow::Borrowed("[*]")),
        }
    }
}

/// The path of a node in a schema.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SchemaPath {
    steps: Vec<Step>,
}

impl<N: Borrow<str>> FromIterator<Step<N>> for SchemaPath {
    fn from_iter<I: IntoIterator<Item = Step<N>>>(steps: I) -> Self {
        Self { steps: steps.into_iter().map(|step| step.owned()).collect() }
    }
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

    /// The text, as diagnostics and files have it: `spec.listeners[*].tls.options[*]`; that of the root is empty.
    pub fn text(&self) -> String {
        text(&self.steps)
    }

    /// The node at this path.
    pub fn node<'s>(&self, schema: &'s Schema) -> Option<&'s Schema> {
        self.steps.iter().try_fold(schema, |node, step| step.node(node))
    }

    /// The node at this path, to be changed.
    pub fn node_mut<'s>(&self, schema: &'s mut Schema) -> Option<&'s mut Schema> {
        self.steps.iter().try_fold(schema, |node, step| step.node_mut(node))
    }
}

impl fmt::Display for SchemaPath {
    /// The text for a reader: that of the root is `(root)`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.steps.is_empty() {
            true => formatter.write_str("(root)"),
            false => formatter.write_str(&self.text()),
        }
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
    edges(node).map(|(step, below)| (step.owned(), below)).collect()
}

/// The nodes directly below one, in the order of the schema, with the steps to them. Branches are not below a node.
pub fn edges(node: &Schema) -> impl Iterator<Item = (Step<&str>, &Schema)> {
    let properties = node.properties.iter().map(|(name, property)| (Step::Field(&**name), property));
    let items = node.items.as_deref().map(|items| (Step::Item, items));
    properties.chain(items).chain(node.values().map(|values| (Step::Value, values)))
}
