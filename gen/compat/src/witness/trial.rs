//! Trials of objects: whether the old schema accepts one, and whether the change refuses it.
//!
//! Invariants: what an object costs is taken before it is checked. A server decides with defaults filled in; the structure and the rules
//! alone decide faster.

use std::cell::Cell;
use std::rc::Rc;

use crd_apiserver::objects::{Answer, Resource};
use crd_apiserver::validate::{Patterns, Subject as Validated, Validator, Violation, ViolationKind};
use crd_apiserver::{apply_defaults, prune};
use crd_boundary::{Search, show_object_path, size};
use crd_inclusion::{Prover, Technique};
use crd_model::Schema;
use crd_model::schema::path::{SchemaPath, is_below};
use serde_json::{Map, Value};

use super::written::written;
use super::{NODES, Witness, take};

/// How much work a check of an object is apart from its values.
const CHECK: usize = 4;
/// How many rules that need no long evaluation, and properties that an object lacks, take one unit together.
const RULES: usize = 4;
const PROPERTIES: usize = 8;
/// How much of the cost of an evaluation takes one unit.
const COST: u64 = 8;

/// What evaluates the CEL rules of the schemas, where that is needed.
pub(super) struct Rules {
    pub(super) old: Option<Rc<Resource>>,
    pub(super) new: Option<Rc<Resource>>,
    pub(super) exchanged: Option<Rc<Resource>>,
}

/// What decides whether an object is refused.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Judge {
    /// The structure of the changed schema.
    Structure,
    Rules,
    /// All that a server does, defaults first.
    Server,
}

/// Validates objects with both schemas.
pub(super) struct Trial<'t> {
    pub(super) old: &'t Schema,
    pub(super) new: &'t Schema,
    /// The old schema with only the changed constraint of the new one.
    pub(super) exchanged: Schema,
    pub(super) judge: Judge,
    pub(super) rules: Rules,
    /// The nodes of both schemas.
    pub(super) size: usize,
    /// Whether the old version has a scale subresource, which refuses objects by itself.
    pub(super) has_scale: bool,
    /// Whether a rule of the old schema can refuse objects.
    pub(super) has_rules: bool,
    pub(super) patterns: &'t Patterns,
    pub(super) prover: &'t Prover,
    /// How much work is left.
    pub(super) work: &'t Cell<usize>,
}

impl Trial<'_> {
    /// Counts a check of an object.
    fn charge(&self, object: &Value) {
        take(self.work, CHECK + work_of(self.old, object));
    }

    /// Whether a technique is used.
    pub(super) fn uses(&self, technique: Technique) -> bool {
        self.prover.uses(technique)
    }

    /// Whether no work is left.
    pub(super) fn is_exhausted(&self) -> bool {
        self.work.get() == 0
    }

    /// A search for objects that this accepts.
    pub(super) fn objects<'s>(
        &'s self,
        schema: &'s Schema,
        frame: &Map<String, Value>,
        accepts: impl FnMut(&SchemaPath, &Value) -> bool + 's,
    ) -> Search<'s> {
        take(self.work, self.size / NODES);
        Search::new(schema, frame.clone(), Vec::new(), accepts).limited(self.work)
    }

    /// Whether a value has the structure of a node.
    pub(super) fn fits(&self, node: &Schema, value: &Value) -> bool {
        let mut complete = value.clone();
        apply_defaults(node, &mut complete);
        let matches = |pattern: &str, text: &str| self.patterns.matches(pattern, text);
        Validator { matches: &matches, subject: Validated::Part }.validate(node, &complete).is_empty()
    }

    fn violations(&self, schema: &Schema, object: &Value) -> Vec<Violation> {
        self.charge(object);
        let mut complete = object.clone();
        apply_defaults(schema, &mut complete);
        let matches = |pattern: &str, text: &str| self.patterns.matches(pattern, text);
        Validator { matches: &matches, subject: Validated::Resource }.validate(schema, &complete)
    }

    /// What a server refuses. Unknown fields are dropped first.
    pub(super) fn refusals(&self, schema: &Schema, object: &Value) -> Vec<Violation> {
        let mut pruned = object.clone();
        prune(schema, &mut pruned);
        let mut found = self.violations(schema, &pruned);
        found.retain(|violation| violation.kind != ViolationKind::UnknownField);
        found
    }

    /// Whether the old schema accepts an object, its rules aside.
    pub(super) fn has_structure(&self, object: &Value) -> bool {
        self.violations(self.old, object).is_empty()
    }

    /// Whether the old schema accepts an object, its rules included.
    pub(super) fn is_accepted(&self, object: &Value) -> bool {
        if self.is_exhausted() || !self.has_structure(object) {
            return false;
        }
        if !self.has_rules {
            return true;
        }
        self.rules.old.as_ref().is_some_and(|resource| self.evaluated(resource, object).is_accepted())
    }

    /// Whether this is a witness, wherever its value is.
    pub(super) fn is_refused(&self, object: &Value) -> bool {
        if self.is_exhausted() {
            return false;
        }
        let accepts = |resource: &Option<Rc<Resource>>| {
            resource.as_ref().map(|resource| self.written(resource, None, object).0.is_accepted())
        };
        let refuses = |schema: &Schema, resource: &Option<Rc<Resource>>| match self.judge {
            Judge::Structure => !self.refusals(schema, object).is_empty(),
            Judge::Rules => !self.broken_rules(resource, object).is_empty(),
            Judge::Server => accepts(resource) == Some(false),
        };
        refuses(&self.exchanged, &self.rules.exchanged)
            && refuses(self.new, &self.rules.new)
            && match self.judge {
                Judge::Server => accepts(&self.rules.old) == Some(true),
                Judge::Structure | Judge::Rules => {
                    self.is_accepted(object)
                        && self.refused_write(object).is_some()
                        && (!self.has_scale || accepts(&self.rules.old) == Some(true))
                }
            }
    }

    /// The answer to a write of the object, and whether it is that of `/status`.
    pub(super) fn written(&self, resource: &Resource, stored: Option<&Value>, object: &Value) -> (Answer, bool) {
        self.charge(object);
        let (answer, is_status) = written(resource, stored, object);
        self.charge_rules(&answer);
        (answer, is_status)
    }

    /// What the rules say of an object.
    fn evaluated(&self, resource: &Resource, object: &Value) -> Answer {
        self.charge(object);
        let answer = resource.rules(object.clone());
        self.charge_rules(&answer);
        answer
    }

    fn charge_rules(&self, answer: &Answer) {
        take(self.work, usize::try_from(answer.cost / COST).unwrap_or(usize::MAX));
    }

    /// Whether the new CRD refuses only the status of an object that it refuses; none if a server never reads what is refused, because
    /// a creation drops the status.
    pub(super) fn refused_write(&self, object: &Value) -> Option<bool> {
        match self.rules.new.as_ref().filter(|new| new.has_status() && object.get("status").is_some()) {
            Some(new) => match self.written(new, None, object) {
                (answer, _) if answer.is_accepted() => None,
                (_, is_status) => Some(is_status),
            },
            None => Some(false),
        }
    }

    /// A refused object as a witness.
    pub(super) fn witness(&self, object: Value) -> Witness {
        let is_status = self.refused_write(&object) == Some(true);
        Witness::refused(object, is_status)
    }

    /// The paths of the rules that the object breaks.
    pub(super) fn broken_rules(&self, resource: &Option<Rc<Resource>>, object: &Value) -> Vec<String> {
        let errors = resource.as_ref().map(|resource| self.evaluated(resource, object).errors).unwrap_or_default();
        errors.iter().map(|error| show_object_path(&error.steps)).collect()
    }

    /// The number of other refusals of the new schema, if this is a witness.
    pub(super) fn other_refusals(&self, object: &Value, at: &str) -> Option<usize> {
        if !self.is_refused(object) {
            return None;
        }
        if self.judge == Judge::Server {
            return Some(0);
        }
        let mut refused: Vec<String> =
            self.refusals(self.new, object).into_iter().map(|violation| violation.path).collect();
        let structural = refused.len();
        let is_rule = self.judge == Judge::Rules;
        if is_rule {
            refused.extend(self.broken_rules(&self.rules.new, object));
        }
        let own = if is_rule { &refused[structural..] } else { &refused[..] };
        let at_path = own.iter().filter(|path| at.is_empty() || is_below(path, at)).count();
        (at_path > 0).then(|| refused.len() - at_path)
    }
}

/// How much work it is to check a value: its size, and the rules and properties that a server reads for it.
pub(super) fn work_of(node: &Schema, value: &Value) -> usize {
    let below = |node: Option<&Schema>, value| node.map_or_else(|| size(value), |node| work_of(node, value));
    let inner: usize = match value {
        Value::Object(entries) => entries.iter().map(|(name, value)| below(node.entry(name), value)).sum(),
        Value::Array(items) => items.iter().map(|item| below(node.items.as_deref(), item)).sum(),
        _ => size(value),
    };
    // Every property is looked up for its default.
    1 + node.validations.len() / RULES + node.properties.len() / PROPERTIES + inner
}
