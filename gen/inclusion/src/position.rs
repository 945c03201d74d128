//! Positions: where two schemas are compared.

use std::sync::{Arc, Mutex, OnceLock};

use crd_model::path;
use crd_model::schema::{self, Schema};
use crd_regexp::inclusion::{Comparisons, Reason, Relation};

use crate::carried::{Carried, default_of};
use crate::edit::Side;
use crate::prover::{Prover, Technique};

/// A step into a schema, with the name of the compared schemas.
pub type Step<'a> = schema::Step<&'a str>;

/// What is computed once for the nodes of a position, for each of them as the one whose keywords are asked for. Many changes are at one node.
#[derive(Debug, Default)]
pub(crate) struct Computed {
    /// The objects of the other side, as this one stores them.
    pub(crate) carried: OnceLock<Carried>,
    /// Whether every value of the other side is in the `enum`.
    pub(crate) is_listed: OnceLock<bool>,
}

/// What the positions of two schemas share.
#[derive(Debug, Default)]
pub(crate) struct Shared<'a> {
    pub(crate) elsewhere: Elsewhere<'a>,
    pub(crate) prover: Arc<Prover>,
    /// How much work proofs may still take; none before the first one.
    pub(crate) work: Mutex<Option<usize>>,
    /// The comparisons of patterns.
    pub(crate) patterns: Comparisons,
}

/// What else may be in stored objects.
#[derive(Clone, Debug, Default)]
pub struct Elsewhere<'a> {
    /// The schemas of the other API versions, in which objects were stored too.
    pub versions: Vec<&'a Schema>,
    /// The paths of the fields that earlier releases had.
    pub removed: Vec<String>,
    /// The paths, such as `.spec.replicas`, at which the scale subresource of the old version, and that of the new one, refuses everything except
    /// counts: integers from 0 to 2147483647.
    pub counts: [Vec<&'a str>; 2],
}

/// A node of two schemas.
#[derive(Clone, Debug, Default)]
pub struct Position<'a> {
    /// The steps from the top to the node. A name that differs is part of the difference and not of its path.
    pub steps: Vec<Step<'a>>,
    /// The nodes from the top to this one (included) in the old schema.
    pub old_nodes: Vec<&'a Schema>,
    /// The nodes from the top to this one (included) in the new schema.
    pub new_nodes: Vec<&'a Schema>,
    /// What is computed for the nodes of each depth: for the old one, and for the new one.
    pub(crate) computed: Vec<Arc<[Computed; 2]>>,
    pub(crate) shared: Arc<Shared<'a>>,
}

/// Two positions are equal if they lead along equal nodes, whatever else was compared with them.
impl PartialEq for Position<'_> {
    fn eq(&self, other: &Self) -> bool {
        (&self.steps, &self.old_nodes, &self.new_nodes) == (&other.steps, &other.old_nodes, &other.new_nodes)
    }
}

impl<'a> Position<'a> {
    /// The position of a node, from the steps and the nodes of both schemas on the way.
    pub fn new(steps: Vec<Step<'a>>, old_nodes: Vec<&'a Schema>, new_nodes: Vec<&'a Schema>) -> Self {
        let computed = (0..old_nodes.len().max(new_nodes.len())).map(|_| Arc::default()).collect();
        Self { steps, old_nodes, new_nodes, computed, ..Self::default() }
    }

    /// Goes to the nodes below these.
    pub(crate) fn enter(&mut self, step: Step<'a>, old: &'a Schema, new: &'a Schema) {
        self.steps.push(step);
        self.old_nodes.push(old);
        self.new_nodes.push(new);
        self.computed.push(Arc::default());
    }

    /// Goes back to the nodes above.
    pub(crate) fn leave(&mut self) {
        self.steps.pop();
        self.old_nodes.pop();
        self.new_nodes.pop();
        self.computed.pop();
    }

    /// The nodes from the top to this one: those of the other side, and those of this side.
    pub(crate) fn nodes(&self, side: Side) -> [&[&'a Schema]; 2] {
        match side {
            Side::New => [&self.old_nodes, &self.new_nodes],
            Side::Old => [&self.new_nodes, &self.old_nodes],
        }
    }

    /// What is computed for the node of a side at this depth.
    pub(crate) fn computed(&self, side: Side, depth: usize) -> &Computed {
        &self.computed[depth][usize::from(side == Side::New)]
    }

    /// Whether stored objects may have a value of a field that is new, below so many steps of this position.
    pub(crate) fn is_known_elsewhere(&self, steps: usize, names: &[&str]) -> bool {
        let steps = self.steps[..steps].iter().copied().chain(names.iter().map(|name| Step::Field(name)));
        let steps = steps.collect::<Vec<_>>();
        let is_in = |schema: &&Schema| {
            let mut node = *schema;
            for step in &steps {
                let Some(below) = step.below(node).or(node.values()) else {
                    return node.preserve_unknown_fields == Some(true) || node.additional_properties.is_some();
                };
                node = below;
            }
            true
        };
        let Elsewhere { versions, removed, counts: _ } = &self.shared.elsewhere;
        let was_removed = || {
            let ends = (1..=steps.len()).map(|end| path::text(&steps[..end]));
            ends.into_iter().any(|path| removed.contains(&path))
        };
        versions.iter().any(is_in) || !removed.is_empty() && was_removed()
    }

    /// Whether the scale subresource of a side refuses everything except counts here.
    pub(crate) fn is_count(&self, side: Side) -> bool {
        let counts = &self.shared.elsewhere.counts[usize::from(side == Side::New)];
        counts.iter().any(|path| path.strip_prefix('.').unwrap_or(path) == self.path())
    }

    /// The same for both sides.
    pub fn is_count_before_and_after(&self) -> bool {
        self.is_count(Side::Old) && self.is_count(Side::New)
    }

    /// Compares two patterns of these schemas, among texts of at least `min` and at most `max` characters.
    pub fn compared(&self, old: &str, new: &str, min: usize, max: Option<usize>) -> Relation {
        match self.uses(Technique::Patterns) {
            true => self.shared.patterns.compare_within(old, new, min, max),
            false => Relation::NotComparable(Reason::TooLarge),
        }
    }

    /// Whether a technique is used.
    pub(crate) fn uses(&self, technique: Technique) -> bool {
        self.shared.prover.uses(technique)
    }

    /// The node of the old schema.
    pub fn old_node(&self) -> Option<&'a Schema> {
        self.old_nodes.last().copied()
    }

    /// The node of the new schema.
    pub fn new_node(&self) -> Option<&'a Schema> {
        self.new_nodes.last().copied()
    }

    /// True if the old node preserves unknown fields: objects may have a value of any name there.
    pub fn keeps_unknown_fields(&self) -> bool {
        self.old_node().is_some_and(|node| node.preserve_unknown_fields == Some(true))
    }

    /// Whether the new node has a default for a field, so that a server fills the field in.
    pub fn fills_in(&self, name: &str) -> bool {
        let field = self.new_node().and_then(|node| node.properties.get(name));
        field.is_some_and(|field| default_of(field).is_some())
    }

    /// The path in words: `spec.rules[*].matches`.
    pub fn path(&self) -> String {
        path::text(&self.steps)
    }
}
