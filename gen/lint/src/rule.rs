//! A convention. Each file in `rule` is one.

mod table;

use std::fmt;
use std::sync::LazyLock;

use crd_model::CustomResourceDefinition;
use crd_model::crd::Version;
use crd_model::schema::{Schema, SchemaPath, Step};

pub use table::RULES;

/// A convention. Each is a constant of its own file.
pub struct Convention {
    /// Its name, such as `no-floats`; the code of its findings is `lint::no-floats`.
    pub name: &'static str,
    /// What it requires, in one sentence.
    pub summary: &'static str,
    pub reason: &'static str,
    /// The document that it is from.
    pub source: &'static str,
    /// The linters of kube-api-linter that check the same, or a part of it.
    pub linters: &'static [&'static str],
    /// Whether it applies unless the settings say otherwise.
    pub is_default: bool,
    /// The schema of a CRD, or a whole CRD where it is about more than the schema, in YAML, in which it fires once.
    pub firing: &'static str,
    /// A similar example in which it does not.
    pub silent: &'static str,
    /// Checks one node; called for each node of each served version.
    pub check: fn(&Node<'_>, &mut Vec<Problem>),
}

impl fmt::Debug for Convention {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Convention").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Convention {
    /// The code of its findings.
    #[must_use]
    pub fn code(&self) -> &'static str {
        static CODES: LazyLock<Vec<String>> =
            LazyLock::new(|| RULES.iter().map(|rule| format!("lint::{}", rule.name)).collect());
        CODES.iter().find(|code| code.strip_prefix("lint::") == Some(self.name)).map_or(self.name, |code| &**code)
    }

    /// The convention of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        RULES.iter().copied().find(|rule| rule.name == name)
    }
}

/// A node under check.
#[derive(Clone, Copy, Debug)]
pub struct Node<'s> {
    pub crd: &'s CustomResourceDefinition,
    pub version: &'s Version,
    /// The path of the node; the root for the version itself.
    pub path: &'s SchemaPath,
    /// The name, if it is a field.
    pub name: Option<&'s str>,
    pub schema: &'s Schema,
    /// The node that contains it; none for the root.
    pub parent: Option<&'s Schema>,
}

impl Node<'_> {
    /// Whether it is the root, where problems of the whole version are found.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.parent.is_none()
    }

    /// Whether it is the field of that name below the root, such as `status`, or below it.
    #[must_use]
    pub fn is_in(&self, name: &str) -> bool {
        matches!(self.path.steps().first(), Some(Step::Field(first)) if first == name)
    }

    /// Its type; empty if it has none.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.schema.kind.as_deref().unwrap_or_default()
    }

    /// Whether it is a field that its parent requires.
    #[must_use]
    pub fn is_required(&self) -> bool {
        let name = self.name.unwrap_or_default();
        self.parent.is_some_and(|parent| parent.required.iter().any(|required| &**required == name))
    }
}

/// What is wrong with a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The part of the node that is wrong, such as a value of its `enum`; none for the node itself. A problem is new if its node, or this part of it, did not have
    /// one in the baseline.
    pub part: Option<String>,
    /// What is wrong, in words.
    pub message: String,
    pub help: String,
}

impl Problem {
    /// A problem of the node itself.
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { part: None, message: message.into(), help: help.into() }
    }

    /// The problem of a part of the node.
    #[must_use]
    pub fn of_part(self, part: impl Into<String>) -> Self {
        Self { part: Some(part.into()), ..self }
    }
}
