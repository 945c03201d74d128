//! What cases can show of CRDs: each rule, constraint, enum value, default and union member that an author declared.
//!
//! Invariants: an element is one declaration. Nodes that are equal, below equal parents by the same name, are one declaration with several
//! places, as a Rust type is that is used in several fields. `type` is not an element: the Rust type decides it. What is in a branch of `allOf`,
//! `anyOf` or `oneOf` is an element too; a `not` is one as a whole.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use crd_apiserver::objects::Combinator;
use crd_boundary::{Keyword, keywords};
use crd_model::CustomResourceDefinition;
use crd_model::document::{HtmlCharacters, JsonWriter, ValueBuilder};
use crd_model::identity::Identity;
use crd_model::schema::{Schema, Text, Validation};
use crd_model::schema::{SchemaPath, Step, below};
use serde_json::Value;

use crate::union::members;

/// A declaration, with every place where it is.
#[derive(Clone, Debug)]
pub struct Element {
    /// What it requires of objects.
    pub requirement: Requirement,
    /// Where it is; at least one place.
    pub places: Vec<Place>,
}

impl Element {
    /// The keyword with its value, or the text of the rule, in one line.
    #[must_use]
    pub fn text(&self, crds: &[Arc<CustomResourceDefinition>]) -> String {
        match &self.requirement {
            Requirement::Constraint(keyword) => {
                let keyword = keyword.to_string();
                let mut own = ValueBuilder::default();
                self.places.first().and_then(|place| place.node(crds)).unwrap_or(&Schema::default()).send_own(&mut own);
                match own.finish().get(&keyword) {
                    Some(Value::String(text)) => format!("{keyword} {text}"),
                    Some(value @ (Value::Number(_) | Value::Bool(_))) => format!("{keyword} {value}"),
                    Some(Value::Array(values)) if keyword.starts_with("x-") => {
                        format!("{keyword} {}", Value::from(values.clone()))
                    }
                    _ => keyword,
                }
            }
            Requirement::Rule(rule) => rule.rule.split_whitespace().collect::<Vec<_>>().join(" "),
            Requirement::Value(value) | Requirement::Default(value) => value.to_string(),
            Requirement::Member(name) => name.to_string(),
        }
    }
}

impl Requirement {
    /// Every kind of requirement.
    pub const KINDS: [&'static str; 5] = ["constraint", "rule", "value", "default", "member"];

    /// The kind of requirement.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Constraint(_) => "constraint",
            Self::Rule(_) => "rule",
            Self::Value(_) => "value",
            Self::Default(_) => "default",
            Self::Member(_) => "member",
        }
    }

    /// The field of the node that it is about.
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::Constraint(Keyword::Required(name)) | Self::Member(name) => Some(name),
            _ => None,
        }
    }

    /// Whether a node has the requirement on its own value.
    #[must_use]
    pub fn is_of(&self, node: &Schema) -> bool {
        match self {
            Self::Constraint(keyword) => keywords(node).contains(keyword),
            Self::Rule(rule) => node.validations.iter().any(|known| known.rule == rule.rule),
            Self::Value(value) => node.enumeration.iter().flatten().any(|known| known == value),
            Self::Default(value) => node.default.as_ref() == Some(value),
            Self::Member(name) => node.properties.contains_key(name),
        }
    }
}

/// What an element requires of objects.
#[derive(Clone, Debug, PartialEq)]
pub enum Requirement {
    /// A constraint on the value, such as `maxLength`.
    Constraint(Keyword),
    /// A CEL rule.
    Rule(Validation),
    /// A value of an `enum`: it is accepted.
    Value(Value),
    /// A default: it is filled in.
    Default(Value),
    /// A field of the node that a union chooses: it is accepted.
    Member(Text),
}

/// A node of a CRD.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The index of the CRD.
    pub crd: usize,
    /// The index of its version.
    pub version: usize,
    /// The path of the node, or of the one whose branch contains it.
    pub path: SchemaPath,
    /// The way into branches; mostly none.
    pub within: Vec<Within>,
}

/// A step into a branch, and the path from there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Within {
    /// The keyword.
    pub combinator: Combinator,
    /// The index among its branches.
    pub index: usize,
    /// The path from the branch.
    pub path: SchemaPath,
}

impl Place {
    /// The node that has the requirement.
    #[must_use]
    pub fn node<'c>(&self, crds: &'c [Arc<CustomResourceDefinition>]) -> Option<&'c Schema> {
        let node = self.path.node(&crds.get(self.crd)?.versions.get(self.version)?.schema)?;
        let into = |node, within: &Within| within.path.node(branches(node, within.combinator).get(within.index)?);
        self.within.iter().try_fold(node, into)
    }

    /// The same node in a copy of the node at the path.
    #[must_use]
    pub fn inner_mut<'s>(&self, node: &'s mut Schema) -> Option<&'s mut Schema> {
        self.within.iter().try_fold(node, |node, Within { combinator, index, path }| {
            path.node_mut(match combinator {
                Combinator::AllOf => node.all_of.get_mut(*index)?,
                Combinator::AnyOf => node.any_of.get_mut(*index)?,
                Combinator::OneOf => node.one_of.get_mut(*index)?,
                Combinator::Not => node.not.as_deref_mut()?,
            })
        })
    }

    /// The path of the value.
    #[must_use]
    pub fn value_path(&self) -> SchemaPath {
        let steps = self.within.iter().flat_map(|within| within.path.steps());
        steps.fold(self.path.clone(), |path, step| path.with(step.clone()))
    }
}

/// The branches of a node.
pub(crate) fn branches(node: &Schema, combinator: Combinator) -> &[Schema] {
    match combinator {
        Combinator::AllOf => &node.all_of,
        Combinator::AnyOf => &node.any_of,
        Combinator::OneOf => &node.one_of,
        Combinator::Not => node.not.as_deref().map_or(&[], std::slice::from_ref),
    }
}

/// The branches whose requirements are elements.
pub(crate) const OPEN: [Combinator; 3] = [Combinator::AllOf, Combinator::AnyOf, Combinator::OneOf];

/// Every element of the served versions of CRDs, in the order of their first places.
#[must_use]
pub fn elements(crds: &[Arc<CustomResourceDefinition>]) -> Vec<Element> {
    let mut found = Found::default();
    for (crd, definition) in crds.iter().enumerate() {
        for (version, served) in definition.versions.iter().enumerate().filter(|(_, version)| version.served) {
            found.digest(&served.schema);
            let place = Place { crd, version, path: SchemaPath::root(), within: Vec::new() };
            found.node(&served.schema, &place, None);
        }
    }
    found.elements
}

/// What makes two nodes one declaration: the node, and the one that contains it with the step between them, as digests.
type Declared = (u64, Option<(u64, Step)>);

#[derive(Default)]
struct Found<'n> {
    elements: Vec<Element>,
    digests: HashMap<Identity<'n, Schema>, u64>,
    /// The elements of each declaration, with the way to the node that has them.
    known: HashMap<Declared, Vec<(usize, Vec<Within>)>>,
}

impl<'n> Found<'n> {
    /// Computes the digests of a node and of all nodes below it.
    fn digest(&mut self, node: &'n Schema) -> u64 {
        let mut hasher = DefaultHasher::new();
        let mut own = JsonWriter::new(HtmlCharacters::Plain);
        node.send_own(&mut own);
        (own.finish(), node.description.as_deref()).hash(&mut hasher);
        for (step, below) in below(node) {
            (step, self.digest(below)).hash(&mut hasher);
        }
        let digest = hasher.finish();
        self.digests.insert(Identity(node), digest);
        digest
    }

    fn node(&mut self, node: &Schema, place: &Place, above: Option<(u64, Step)>) {
        let digest = self.digests[&Identity(node)];
        let elements = &mut self.elements;
        let known = self.known.entry((digest, above)).or_insert_with(|| {
            let mut own = Vec::new();
            requirements(node, &mut Vec::new(), &mut own);
            let add = |(requirement, within)| {
                elements.push(Element { requirement, places: Vec::new() });
                (elements.len() - 1, within)
            };
            own.into_iter().map(add).collect()
        });
        for (element, within) in known {
            elements[*element].places.push(Place { within: within.clone(), ..place.clone() });
        }
        for (step, below) in below(node) {
            let path = place.path.with(step.owned());
            self.node(below, &Place { path, ..place.clone() }, Some((digest, step.owned())));
        }
    }
}

/// The requirements of one node on its own value, those in its branches included.
fn requirements(node: &Schema, within: &mut Vec<Within>, found: &mut Vec<(Requirement, Vec<Within>)>) {
    let is_branch = !within.is_empty();
    let mut add = |requirement| found.push((requirement, within.clone()));
    let constraints = keywords(node).into_iter().filter(|keyword| *keyword != Keyword::Type);
    constraints.map(Requirement::Constraint).for_each(&mut add);
    for (index, rule) in node.validations.iter().enumerate() {
        // A copy is not a second rule.
        if !node.validations[..index].contains(rule) {
            add(Requirement::Rule(rule.clone()));
        }
    }
    node.enumeration.iter().flatten().cloned().map(Requirement::Value).for_each(&mut add);
    node.default.iter().cloned().map(Requirement::Default).for_each(&mut add);
    if !is_branch {
        members(node).into_iter().map(Requirement::Member).for_each(&mut add);
    }
    for combinator in OPEN {
        for (index, branch) in branches(node, combinator).iter().enumerate() {
            within.push(Within { combinator, index, path: SchemaPath::root() });
            requirements(branch, within, found);
            within.pop();
        }
    }
    let Some(path) = within.last().map(|last| last.path.clone()) else { return };
    for (step, below) in below(node) {
        let depth = within.len();
        within[depth - 1].path = path.with(step.owned());
        requirements(below, within, found);
        within[depth - 1].path = path.clone();
    }
}
