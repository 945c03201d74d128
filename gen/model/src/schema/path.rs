//! Paths of nodes in a schema, and the nodes that they lead to.
//!
//! Invariants: a node has one path; branches (`allOf`, `anyOf`, `oneOf`, `not`) are not below a node.

use std::borrow::Cow;
use std::fmt;

use serde_json::Value;

use super::Schema;
use crate::path::{Part, push};

pub use crate::path::text;

/// A step from a node of a schema to one below it. Names are owned in paths that are kept, and borrowed (`Step<&str>`) in walks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step<N = String> {
    Field(N),
    /// To the items of a list.
    Item,
    /// To the values of a map.
    Value,
}

impl<N: AsRef<str>> Step<N> {
    /// The node that the step leads to.
    pub fn below<'s>(&self, schema: &'s Schema) -> Option<&'s Schema> {
        match self {
            Self::Field(name) => schema.properties.get(name.as_ref()),
            Self::Item => schema.items.as_deref(),
            Self::Value => schema.values(),
        }
    }

    /// The node that the step leads to, to be changed.
    pub fn below_mut<'s>(&self, schema: &'s mut Schema) -> Option<&'s mut Schema> {
        match self {
            Self::Field(name) => schema.properties.get_mut(name.as_ref()),
            Self::Item => schema.items.as_deref_mut(),
            Self::Value => schema.values_mut(),
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
            Self::Field(name) => Step::Field(name.as_ref()),
            Self::Item => Step::Item,
            Self::Value => Step::Value,
        }
    }

    /// The step with a name of its own.
    pub fn owned(&self) -> Step {
        match self {
            Self::Field(name) => Step::Field(name.as_ref().to_owned()),
            Self::Item => Step::Item,
            Self::Value => Step::Value,
        }
    }
}

impl<'p, N: AsRef<str>> From<&'p Step<N>> for Part<'p> {
    fn from(step: &'p Step<N>) -> Self {
        match step {
            Step::Field(name) => Self::Name(Cow::Borrowed(name.as_ref())),
            Step::Item | Step::Value => Self::Sign(Cow::Borrowed("[*]")),
        }
    }
}

/// The same path with quotes around names that have characters of paths: see [`crate::path`].
pub fn quoted<N: AsRef<str>>(steps: &[Step<N>]) -> String {
    steps.iter().fold(String::new(), |above, step| match step {
        Step::Field(name) => crate::path::field(&above, name.as_ref()),
        Step::Item | Step::Value => above + "[*]",
    })
}

/// Whether a path is another one or leads on from it, as findings have both.
pub fn is_below(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// The values of an object at the end of these steps.
pub fn values<'v, N: AsRef<str>>(object: &'v Value, steps: &[Step<N>]) -> Vec<&'v Value> {
    steps.iter().fold(vec![object], |values, step| match step {
        Step::Field(name) => values.into_iter().filter_map(|value| value.as_object()?.get(name.as_ref())).collect(),
        Step::Item => values.into_iter().filter_map(Value::as_array).flatten().collect(),
        Step::Value => values.into_iter().filter_map(Value::as_object).flat_map(|map| map.values()).collect(),
    })
}

/// The path of a node in a schema.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SchemaPath {
    steps: Vec<Step>,
}

impl<N: AsRef<str>> From<&[Step<N>]> for SchemaPath {
    fn from(steps: &[Step<N>]) -> Self {
        Self { steps: steps.iter().map(Step::owned).collect() }
    }
}

impl<N: AsRef<str>> FromIterator<Step<N>> for SchemaPath {
    fn from_iter<I: IntoIterator<Item = Step<N>>>(steps: I) -> Self {
        Self { steps: steps.into_iter().map(|step| step.owned()).collect() }
    }
}

impl SchemaPath {
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
        self.steps.iter().try_fold(schema, |node, step| step.below(node))
    }

    /// The node at this path, to be changed.
    pub fn node_mut<'s>(&self, schema: &'s mut Schema) -> Option<&'s mut Schema> {
        self.steps.iter().try_fold(schema, |node, step| step.below_mut(node))
    }

    /// The nodes from a schema to the one at this path, as far as they exist.
    pub fn along<'s>(&self, schema: &'s Schema) -> impl Iterator<Item = &'s Schema> {
        let mut steps = self.steps.iter();
        std::iter::successors(Some(schema), move |node| steps.next()?.below(node))
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
