//! The search for accepted objects with a value at a path.
//!
//! An object with a value at a path is built from one with a value at the path above, with the smallest value that fits. If it is refused
//! (by CEL rules), values of the sample objects are tried, then small edits near the new value: other members of the `enum`, an optional
//! field more or less, a value that a sample object has there; first at the path itself, then further up.
//!
//! Invariants: no object is checked twice; our own validator accepts every checked object; the number of checks for each path and constraint is
//! limited; the order is fixed. A search with limited work ([`Search::limited`]) ends when no work is left.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::edges::Broken;
use super::object_paths::{ObjectStep, matching, put, show_object_path, step_to_new};
use super::values::{Effort, Maker, size};
use super::{Constraint, Keyword};
use crd_apiserver::validate::{Subject, Violation};
use crd_model::path::value_at;
use crd_model::schema::{Schema, SchemaPath, Step, nodes};

/// The largest number of objects that are checked for one path, or one constraint.
const MOST_CHECKS: usize = 400;
/// How many of them are checked in the first pass.
const FIRST_CHECKS: usize = 12;
/// The largest number of outside values that are tried to find one that breaks only this constraint.
const MOST_OUTSIDES: usize = 8;
/// The largest number of refused objects that are edited.
const MOST_STARTS: usize = 8;
/// The largest number of values of sample objects for one path.
const MOST_EXAMPLES: usize = 5;

/// An accepted object with a value at a path.
#[derive(Clone, Debug, PartialEq)]
pub struct AcceptedObject {
    pub object: Value,
    /// The path in the object.
    pub object_path: Vec<ObjectStep>,
}

impl AcceptedObject {
    /// The value at the path.
    pub fn value(&self) -> Option<&Value> {
        value_at(&self.object, &self.object_path)
    }

    /// The object with another value at the path.
    pub fn with(&self, value: Value) -> Option<Value> {
        put(&self.object, &self.object_path, value)
    }
}

/// Both sides of a constraint.
#[derive(Clone, Debug, PartialEq)]
pub struct Boundary {
    /// Where the value is in both objects: `spec.listeners[0].port`.
    pub path: String,
    pub inside: Value,
    /// The same object, with a value there that breaks the constraint.
    pub outside: Value,
    /// The value of the inside object at the path.
    pub inside_value: Value,
    /// The value of the outside object at the path.
    pub outside_value: Value,
    /// Whether the inside value is as near to the constraint as a value can be. If not, nearer values were refused.
    pub is_nearest: bool,
    /// The violation that the validator reports; its path is that of the whole object.
    pub violation: Violation,
    /// Other violations of the outside object, if no value was found that breaks only the constraint: a number beyond its `format` is
    /// beyond its `maximum` too.
    pub also: Vec<Violation>,
}

/// Why there are no two sides of a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unreached {
    /// No accepted object has a value at that path.
    NoObject,
    /// No value was found that violates the constraint: it has no effect, defaults repair the value, or the value would be too large.
    NothingOutside,
}

impl fmt::Display for Unreached {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Unreached::NoObject => "no object that was tried has a value there and is accepted",
            Unreached::NothingOutside => "no value was found that breaks it",
        })
    }
}

/// Which edits are tried, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// One edit in the new value.
    Within,
    /// The parent object without its optional fields, and then one edit of it.
    BareParent,
    /// One edit in the parent object.
    Parent,
    /// One edit in an object further up.
    Ancestors,
    /// One edit in the new value, the parent object without its optional fields, and then one edit of it.
    WithinAndBareParent,
    /// Two edits in the parent object without its optional fields.
    ParentTwice,
    /// Two edits in the new value.
    WithinTwice,
}

impl Stage {
    const ALL: [Stage; 7] = [
        Stage::Within,
        Stage::BareParent,
        Stage::Parent,
        Stage::Ancestors,
        Stage::WithinAndBareParent,
        Stage::ParentTwice,
        Stage::WithinTwice,
    ];
}

/// An object that contains the value.
struct Ancestor<'v> {
    path: SchemaPath,
    object_path: &'v [ObjectStep],
    object: &'v Map<String, Value>,
    /// Its field that contains the value.
    kept_field: &'v str,
}

/// The objects that contain the value, the nearest first.
fn ancestors<'v>(path: &SchemaPath, object: &'v Value, object_path: &'v [ObjectStep]) -> Vec<Ancestor<'v>> {
    let mut found = Vec::new();
    let mut path = path.clone();
    for depth in (0..object_path.len()).rev() {
        let Some(above) = path.above() else { break };
        path = above;
        let (above, Some(ObjectStep::Field(kept_field))) = (&object_path[..depth], object_path.get(depth)) else {
            continue;
        };
        if let Some(Value::Object(object)) = value_at(object, above) {
            found.push(Ancestor { path: path.clone(), object_path: above, object, kept_field });
        }
    }
    found
}

type Accepts<'s> = Box<dyn FnMut(&SchemaPath, &Value) -> bool + 's>;

/// Looks for accepted objects.
pub struct Search<'s> {
    schema: &'s Schema,
    subject: Subject,
    maker: Maker,
    frame: Map<String, Value>,
    bases: Vec<Value>,
    /// Paths whose nodes are equal and have the same name, by path: a value that is accepted at one of them likely is at all.
    twins: BTreeMap<SchemaPath, Vec<SchemaPath>>,
    accepts: Accepts<'s>,
    verdicts: HashMap<(Option<Step>, String), bool>,
    accepted: BTreeMap<SchemaPath, Vec<AcceptedObject>>,
    /// Values that sample objects have at a path. This and the next maps are caches.
    base_values: RefCell<BTreeMap<SchemaPath, Vec<Value>>>,
    small: RefCell<BTreeMap<SchemaPath, Vec<Value>>>,
    edges: RefCell<BTreeMap<SchemaPath, Arc<[Value]>>>,
    checks: usize,
    /// How much work is left; none without a limit.
    work: Option<&'s Cell<usize>>,
}

impl fmt::Debug for Search<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Search").field("checks", &self.checks).finish_non_exhaustive()
    }
}

impl<'s> Search<'s> {
    /// A search in objects of this schema.
    ///
    /// `frame` has the fields of every object: `apiVersion`, `kind` and `metadata` of a resource; it is empty for a part of one. `bases` are
    /// sample objects; those that are not accepted are ignored. `accepts` takes an object and the path for which it was built.
    pub fn new(
        schema: &'s Schema,
        frame: Map<String, Value>,
        bases: Vec<Value>,
        accepts: impl FnMut(&SchemaPath, &Value) -> bool + 's,
    ) -> Self {
        let subject = if frame.contains_key("apiVersion") { Subject::Resource } else { Subject::Part };
        Self {
            schema,
            subject,
            maker: Maker::default(),
            frame,
            // They matter for the values of sample objects only.
            twins: if bases.is_empty() { BTreeMap::new() } else { twins(schema) },
            bases,
            accepts: Box::new(accepts),
            verdicts: HashMap::new(),
            accepted: BTreeMap::new(),
            base_values: RefCell::default(),
            small: RefCell::default(),
            edges: RefCell::default(),
            checks: 0,
            work: None,
        }
    }

    /// The same search, which takes this work for the objects that it builds and checks: the [`size`] of each. Without work, it finds nothing more.
    #[must_use]
    pub fn limited(mut self, work: &'s Cell<usize>) -> Self {
        self.work = Some(work);
        self
    }

    /// Takes work; false if none is left.
    fn takes(&self, work: usize) -> bool {
        let left = self.work.map(|left| {
            left.set(left.get().saturating_sub(work));
            left.get()
        });
        left != Some(0)
    }

    /// How many objects were checked.
    pub fn checks(&self) -> usize {
        self.checks
    }

    /// Accepted objects that have a value at the path, the smallest first; empty if none is found.
    pub fn accepted(&mut self, path: &SchemaPath) -> Vec<AcceptedObject> {
        if let Some(found) = self.accepted.get(path) {
            return found.clone();
        }
        let found = match (path.above(), path.steps().last()) {
            (Some(above), Some(step)) => self.grow(path, &above, step),
            _ => self.roots(),
        };
        self.accepted.insert(path.clone(), found.clone());
        found
    }

    /// An accepted object with a value at the path above this one, and without one at this path, so that a default can be filled in.
    pub fn without(&mut self, path: &SchemaPath) -> Option<AcceptedObject> {
        let (above, Step::Field(name)) = (path.above()?, path.steps().last()?) else { return None };
        let mut left = MOST_CHECKS;
        let accepted = self.accepted(&above);
        for AcceptedObject { object, object_path } in &accepted {
            let without = removed(object, object_path, name);
            if self.is_accepted(path, &without, &mut left) {
                return Some(AcceptedObject { object: without, object_path: object_path.clone() });
            }
        }
        for stage in Stage::ALL {
            for AcceptedObject { object, object_path } in accepted.iter().take(MOST_STARTS) {
                let without = removed(object, object_path, name);
                let mut inner = object_path.clone();
                inner.push(ObjectStep::Field(name.clone()));
                for edited in self.variations(stage, path, &without, &inner) {
                    let edited = removed(&edited, object_path, name);
                    if self.is_accepted(path, &edited, &mut left) {
                        return Some(AcceptedObject { object: edited, object_path: object_path.clone() });
                    }
                }
            }
        }
        None
    }

    /// Both sides of a constraint of the schema.
    ///
    /// # Errors
    /// Why there are none.
    pub fn boundary(&mut self, constraint: &Constraint<'s>) -> Result<Boundary, Unreached> {
        self.boundary_where(constraint, None)
    }

    /// Both sides of a constraint, with an outside object for which `wanted` is true: for example one that another schema accepts.
    ///
    /// # Errors
    /// Why there are none.
    pub fn boundary_where(
        &mut self,
        constraint: &Constraint<'s>,
        wanted: Option<&dyn Fn(&Value) -> bool>,
    ) -> Result<Boundary, Unreached> {
        let mut accepted = self.accepted(&constraint.path);
        accepted.extend(self.filled(constraint));
        let Some(node) = constraint.path.node(self.schema).filter(|_| !accepted.is_empty()) else {
            return Err(Unreached::NoObject);
        };
        let mut best: Option<Boundary> = None;
        let (inside, is_nearest) = self.inside(node, constraint, &accepted);
        let rest = accepted.into_iter().map(|accepted| (accepted, is_always_nearest(&constraint.keyword)));
        for (accepted, is_nearest) in inside.into_iter().map(|accepted| (accepted, is_nearest)).chain(rest) {
            let Some(found) = self.outside(node, constraint, &accepted, is_nearest, wanted) else { continue };
            let is_better = best
                .as_ref()
                .is_none_or(|best| (found.is_nearest, best.also.len()) > (best.is_nearest, found.also.len()));
            if is_better {
                best = Some(found);
            }
            if best.as_ref().is_some_and(|best| best.also.is_empty()) {
                break;
            }
        }
        best.ok_or(Unreached::NothingOutside)
    }

    /// Accepted objects in which the list or map of the constraint is not empty.
    fn filled(&mut self, constraint: &Constraint<'s>) -> Vec<AcceptedObject> {
        let step = match &constraint.keyword {
            Keyword::MinItems | Keyword::MaxItems | Keyword::UniqueItems | Keyword::ListMapKeys | Keyword::ListSet => {
                Step::Item
            }
            Keyword::MinProperties | Keyword::MaxProperties => Step::Value,
            _ => return Vec::new(),
        };
        let mut accepted = self.accepted(&constraint.path.with(step));
        for accepted in &mut accepted {
            accepted.object_path.pop();
        }
        accepted
    }

    /// An accepted object with a value that is as near to the constraint as possible, otherwise any accepted object.
    fn inside(
        &mut self,
        node: &Schema,
        constraint: &Constraint<'s>,
        accepted: &[AcceptedObject],
    ) -> (Option<AcceptedObject>, bool) {
        let path = &constraint.path;
        let items = self.base_values(&path.with(Step::Item));
        let mut first = FIRST_CHECKS;
        for start in accepted {
            let tries = self.nearest(node, constraint, start, &items, Effort::Little);
            if let Some(found) = tries.into_iter().find(|accepted| self.is_accepted(path, &accepted.object, &mut first))
            {
                return (Some(found), true);
            }
        }
        // Rules can forbid repeated items. Items with each of the optional fields are different.
        if let Some(start) = accepted.first().filter(|_| node.items.is_some()) {
            let items = self.items(path, node);
            let mut first = 2 * FIRST_CHECKS;
            let tries = self.nearest(node, constraint, start, &items, Effort::Little);
            if let Some(found) = tries.into_iter().find(|accepted| self.is_accepted(path, &accepted.object, &mut first))
            {
                return (Some(found), true);
            }
        }
        let mut left = MOST_CHECKS;
        let mut tries = Vec::new();
        for start in accepted {
            for near in self.nearest(node, constraint, start, &items, Effort::Much) {
                if self.is_accepted(path, &near.object, &mut left) {
                    return (Some(near), true);
                }
                tries.push(near);
            }
        }
        for stage in [Stage::BareParent, Stage::Parent, Stage::Ancestors, Stage::ParentTwice] {
            for AcceptedObject { object, object_path } in tries.iter().take(MOST_STARTS) {
                for edited in self.variations(stage, path, object, object_path) {
                    if self.is_accepted(path, &edited, &mut left) {
                        return (Some(AcceptedObject { object: edited, object_path: object_path.clone() }), true);
                    }
                    if left == 0 {
                        break;
                    }
                }
            }
        }
        (accepted.first().cloned(), false)
    }

    /// The object with values as near to the constraint as possible.
    fn nearest(
        &self,
        node: &Schema,
        constraint: &Constraint<'s>,
        accepted: &AcceptedObject,
        items: &[Value],
        effort: Effort,
    ) -> Vec<AcceptedObject> {
        let Some(now) = accepted.value() else { return Vec::new() };
        let values = self.maker.insides(node, constraint, now, items, effort).into_iter();
        let objects = values.filter_map(|value| accepted.with(value));
        objects.map(|object| AcceptedObject { object, object_path: accepted.object_path.clone() }).collect()
    }

    /// Accepted items of a list, one for each field that they can have.
    fn items(&mut self, path: &SchemaPath, node: &Schema) -> Vec<Value> {
        let path = path.with(Step::Item);
        let names: Vec<String> =
            node.items.iter().flat_map(|items| items.properties.keys()).map(ToString::to_string).collect();
        let mut found: Vec<Value> = Vec::new();
        for name in names {
            if let Some(AcceptedObject { object, object_path }) = self.accepted(&path.with(Step::Field(name))).first()
                && let Some((_, above)) = object_path.split_last()
                && let Some(item) = value_at(object, above)
                && !found.contains(item)
            {
                found.push(item.clone());
            }
        }
        found
    }

    fn outside(
        &mut self,
        node: &Schema,
        constraint: &Constraint<'s>,
        accepted: &AcceptedObject,
        is_nearest: bool,
        wanted: Option<&dyn Fn(&Value) -> bool>,
    ) -> Option<Boundary> {
        let now = accepted.value()?;
        let mut best: Option<Boundary> = None;
        let effort = if wanted.is_some() { Effort::Much } else { Effort::Little };
        let outsides = self.maker.outsides(node, constraint, now, effort).into_iter().filter_map(|(value, broken)| {
            if !self.takes(size(&value)) {
                return None;
            }
            let outside = accepted.with(value.clone())?;
            wanted.is_none_or(|wanted| wanted(&outside)).then_some((value, outside, broken))
        });
        for (value, outside, Broken { by, .. }) in outsides.take(MOST_OUTSIDES) {
            let path = joined(&show_object_path(&accepted.object_path), &by.path);
            let mut also = self.maker.violations(self.subject, self.schema, &outside);
            // A message can contain the path, which is longer here.
            let same = |violation: &Violation| (violation.kind, &violation.path) == (by.kind, &path);
            let is_equal = |violation: &Violation| same(violation) && violation.message == by.message;
            let Some(index) = also.iter().position(is_equal).or_else(|| also.iter().position(same)) else { continue };
            let violation = also.remove(index);
            let found = Boundary {
                path: show_object_path(&accepted.object_path),
                inside: accepted.object.clone(),
                outside,
                inside_value: now.clone(),
                outside_value: value,
                is_nearest,
                violation,
                also,
            };
            if best.as_ref().is_none_or(|best| found.also.len() < best.also.len()) {
                best = Some(found);
            }
            if best.as_ref().is_some_and(|best| best.also.is_empty()) {
                break;
            }
        }
        best
    }

    /// The smallest accepted object, and the sample objects.
    fn roots(&mut self) -> Vec<AcceptedObject> {
        let root = SchemaPath::root();
        let mut left = MOST_CHECKS;
        let mut found = Vec::new();
        for value in self.maker.small(self.schema) {
            let object = self.framed(value);
            if self.is_accepted(&root, &object, &mut left) {
                found.push(object);
                break;
            }
            let edited = self
                .edits_within(&root, &object, 2)
                .into_iter()
                .find(|edited| self.is_accepted(&root, edited, &mut left));
            if let Some(edited) = edited {
                found.push(edited);
                break;
            }
        }
        let bases: Vec<Value> = self.bases.drain(..).collect();
        self.bases = bases.into_iter().filter(|base| self.is_accepted(&root, base, &mut usize::MAX.clone())).collect();
        found.extend(self.bases.iter().cloned());
        found.into_iter().map(|object| AcceptedObject { object, object_path: Vec::new() }).collect()
    }

    fn framed(&self, value: Value) -> Value {
        match value {
            Value::Object(mut object) => {
                object.extend(self.frame.clone());
                Value::Object(object)
            }
            other => other,
        }
    }

    fn grow(&mut self, path: &SchemaPath, above: &SchemaPath, step: &Step) -> Vec<AcceptedObject> {
        let parents = self.accepted(above);
        let examples: Vec<AcceptedObject> = self.examples(path);
        let Some(node) = path.node(self.schema) else { return Vec::new() };
        let mut left = MOST_CHECKS;
        let mut found: Option<AcceptedObject> = None;
        let small = self.small(path, node);
        let mut values = small.clone();
        values.extend(self.base_values(path));
        let mut tries = Vec::new();
        'parents: for (index, parent) in parents.iter().enumerate() {
            // Any entry of a map, or the first item of a list.
            let relative = SchemaPath::root().with(step.clone());
            let matches = parent.value().map(|value| matching(&relative, value, MOST_EXAMPLES)).unwrap_or_default();
            if let Some(way) = matches.into_iter().find(|way| way.iter().all(ObjectStep::is_plain)) {
                let object_path = parent.object_path.iter().cloned().chain(way).collect();
                found = Some(AcceptedObject { object: parent.object.clone(), object_path });
                break;
            }
            if index > 0 && !examples.is_empty() {
                continue;
            }
            let mut object_path = parent.object_path.clone();
            object_path.push(step_to_new(step));
            for value in &values {
                let Some(object) = put(&parent.object, &object_path, value.clone()) else { continue };
                if self.is_accepted(path, &object, &mut left) {
                    found = Some(AcceptedObject { object, object_path });
                    break 'parents;
                }
                tries.push((object, object_path.clone()));
            }
        }
        if found.is_none() && examples.is_empty() {
            let is_small = |(object, object_path): &&(Value, Vec<ObjectStep>)| {
                value_at(object, object_path).is_some_and(|value| small.contains(value))
            };
            // Values of sample objects are the better start.
            let (plain, sampled): (Vec<_>, Vec<_>) = tries.iter().partition(is_small);
            let starts: Vec<_> = sampled.into_iter().take(MOST_STARTS / 2).chain(plain).take(MOST_STARTS).collect();
            'found: for stage in Stage::ALL {
                for (object, object_path) in starts.iter().copied() {
                    for edited in self.variations(stage, path, object, object_path) {
                        if value_at(&edited, object_path).is_some() && self.is_accepted(path, &edited, &mut left) {
                            found = Some(AcceptedObject { object: edited, object_path: object_path.clone() });
                            break 'found;
                        }
                        if left == 0 {
                            break 'found;
                        }
                    }
                }
            }
        }
        let mut all: Vec<AcceptedObject> = found.into_iter().collect();
        for example in examples {
            if !all.contains(&example) {
                all.push(example);
            }
        }
        all
    }

    /// Sample objects with a value at the path, one for each different parent of the value.
    fn examples(&self, path: &SchemaPath) -> Vec<AcceptedObject> {
        let mut found = Vec::new();
        let mut seen = Vec::new();
        for base in &self.bases {
            for object_path in matching(path, base, 2 * MOST_EXAMPLES) {
                let parent = object_path.split_last().and_then(|(_, above)| value_at(base, above)).cloned();
                if found.len() < MOST_EXAMPLES && !seen.contains(&parent) {
                    seen.push(parent);
                    found.push(AcceptedObject { object: base.clone(), object_path });
                }
            }
        }
        found
    }

    /// The values of sample objects at the path, or at one with an equal node.
    fn base_values(&self, path: &SchemaPath) -> Vec<Value> {
        if let Some(found) = self.base_values.borrow().get(path) {
            return found.clone();
        }
        let mut found: Vec<Value> = Vec::new();
        for path in self.twins.get(path).into_iter().flatten().chain([path]) {
            for value in self.examples(path).iter().filter_map(AcceptedObject::value) {
                if found.len() < MOST_EXAMPLES && !found.contains(value) {
                    found.push(value.clone());
                }
            }
        }
        self.base_values.borrow_mut().insert(path.clone(), found.clone());
        found
    }

    /// Small values for the path; for a number also its limits.
    fn small(&self, path: &SchemaPath, node: &Schema) -> Vec<Value> {
        if let Some(found) = self.small.borrow().get(path) {
            return found.clone();
        }
        let mut found = self.maker.small(node);
        if matches!(node.kind.as_deref(), Some("integer" | "number")) {
            found.extend(self.maker.numbers(node));
        }
        self.small.borrow_mut().insert(path.clone(), found.clone());
        found
    }

    /// Valid values for the path, on the edges of its constraints.
    pub(super) fn edges(&self, path: &SchemaPath) -> Arc<[Value]> {
        if let Some(found) = self.edges.borrow().get(path) {
            return found.clone();
        }
        let found: Arc<[Value]> = path.node(self.schema).map_or_else(Vec::new, |node| self.maker.edges(node)).into();
        self.edges.borrow_mut().insert(path.clone(), found.clone());
        found
    }

    /// Whether the object is accepted, without a limit.
    pub(super) fn accepts(&mut self, path: &SchemaPath, object: &Value) -> bool {
        self.checks += 1;
        (self.accepts)(path, object)
    }

    pub(super) fn schema(&self) -> &'s Schema {
        self.schema
    }

    /// Whether the object is accepted; false if the number of checks is used up.
    pub(super) fn is_accepted(&mut self, path: &SchemaPath, object: &Value, left: &mut usize) -> bool {
        let key = (path.steps().first().cloned(), object.to_string());
        if let Some(verdict) = self.verdicts.get(&key) {
            return *verdict;
        }
        if *left == 0
            || !self.takes(size(object))
            || !self.maker.violations(self.subject, self.schema, object).is_empty()
        {
            return false;
        }
        *left -= 1;
        self.checks += 1;
        let verdict = (self.accepts)(path, object);
        self.verdicts.insert(key, verdict);
        verdict
    }

    /// The object with small edits in the value or near it, for one stage.
    fn variations(&self, stage: Stage, path: &SchemaPath, object: &Value, object_path: &[ObjectStep]) -> Vec<Value> {
        let inner = |changes| {
            let edited =
                value_at(object, object_path).map(|value| self.edits_within(path, value, changes)).unwrap_or_default();
            edited.into_iter().filter_map(|value| put(object, object_path, value)).collect()
        };
        let ancestors = ancestors(path, object, object_path);
        let Some((nearest, farther)) = ancestors.split_first() else {
            return if stage == Stage::Within { inner(1) } else { Vec::new() };
        };
        let bare = |ancestors: &Ancestor<'_>| {
            let required = ancestors.path.node(self.schema).map(|node| node.required.as_slice()).unwrap_or_default();
            let mut bare = ancestors.object.clone();
            bare.retain(|name, _| name == ancestors.kept_field || required.iter().any(|required| required == name));
            bare
        };
        let whole = |ancestors: &Ancestor<'_>, edited: Map<String, Value>| {
            put(object, ancestors.object_path, Value::Object(edited))
        };
        let singles = |ancestors: &Ancestor<'_>, start: &Map<String, Value>| -> Vec<Value> {
            let edits = self.edits(&ancestors.path, start, Some(ancestors.kept_field));
            edits.into_iter().filter_map(|edited| whole(ancestors, edited)).collect()
        };
        match stage {
            Stage::Within => inner(1),
            Stage::BareParent => {
                let bare = bare(nearest);
                whole(nearest, bare.clone()).into_iter().chain(singles(nearest, &bare)).collect()
            }
            Stage::Parent => singles(nearest, nearest.object),
            Stage::Ancestors => farther.iter().flat_map(|ancestors| singles(ancestors, ancestors.object)).collect(),
            Stage::ParentTwice => {
                let mut found = Vec::new();
                for edited in self.edits(&nearest.path, &bare(nearest), Some(nearest.kept_field)) {
                    let twice = self.edits(&nearest.path, &edited, Some(nearest.kept_field));
                    found.extend(twice.into_iter().filter_map(|edited| whole(nearest, edited)));
                    if found.len() > 2 * MOST_CHECKS {
                        break;
                    }
                }
                found
            }
            Stage::WithinAndBareParent => {
                let edited: Vec<Value> = inner(1);
                let twice =
                    edited.iter().flat_map(|edited| self.variations(Stage::BareParent, path, edited, object_path));
                twice.take(2 * MOST_CHECKS).collect()
            }
            Stage::WithinTwice => inner(2),
        }
    }

    /// The value with one edit, or two, in each of the objects in it.
    fn edits_within(&self, path: &SchemaPath, value: &Value, changes: usize) -> Vec<Value> {
        let mut found = Vec::new();
        match value {
            Value::Object(object) => {
                for edited in self.edits(path, object, None) {
                    if changes > 1 {
                        found.extend(self.edits(path, &edited, None).into_iter().map(Value::Object));
                    }
                    found.push(Value::Object(edited));
                }
                for (name, below) in object {
                    let step = Step::Field(name.clone());
                    if path.steps().is_empty() && is_identity(name) {
                        continue;
                    }
                    for edited in self.edits_within(&path.with(step), below, changes) {
                        let mut other = object.clone();
                        other.insert(name.clone(), edited);
                        found.push(Value::Object(other));
                    }
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    for edited in self.edits_within(&path.with(Step::Item), item, changes) {
                        let mut other = items.clone();
                        other[index] = edited;
                        found.push(Value::Array(other));
                    }
                }
            }
            _ => {}
        }
        found.truncate(8 * MOST_CHECKS);
        found
    }

    /// The object with one field changed, added or removed, except `kept_field`.
    fn edits(
        &self,
        path: &SchemaPath,
        object: &Map<String, Value>,
        kept_field: Option<&str>,
    ) -> Vec<Map<String, Value>> {
        let Some(node) = path.node(self.schema) else { return Vec::new() };
        let (mut members, mut additions, mut removals, mut replaced) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let with = |name: &str, value: Value| {
            let mut edited = object.clone();
            edited.insert(name.to_owned(), value);
            edited
        };
        for (name, property) in &node.properties {
            let is_fixed = path.steps().is_empty() && (is_identity(name) || name.as_ref() == "status");
            if kept_field == Some(name.as_ref()) || is_fixed {
                continue;
            }
            // Each edit is a copy of the object.
            if !self.takes(1 + object.len()) {
                break;
            }
            let now = object.get(name.as_ref());
            let path = path.with(Step::Field(name.to_string()));
            for member in property.enumeration.iter().flatten() {
                if now != Some(member) {
                    members.push(with(name, member.clone()));
                }
            }
            match now {
                None => {
                    let small = self.small(&path, property);
                    additions.extend(small.into_iter().map(|value| with(name, value)));
                }
                Some(_) if !node.required.contains(name) => {
                    let mut edited = object.clone();
                    edited.remove(name.as_ref());
                    removals.push(edited);
                }
                Some(_) => {}
            }
            let base_values = self.base_values(&path);
            replaced.extend(base_values.into_iter().filter(|value| Some(value) != now).map(|value| with(name, value)));
            if now.is_some_and(Value::is_number) {
                replaced.extend(self.small(&path, property).into_iter().map(|number| with(name, number)));
            }
        }
        [members, additions, removals, replaced].concat()
    }
}

/// Whether every inside value of such a constraint is equally near to it.
fn is_always_nearest(keyword: &Keyword) -> bool {
    matches!(
        keyword,
        Keyword::Type
            | Keyword::Enum
            | Keyword::Pattern
            | Keyword::Required(_)
            | Keyword::AdditionalProperties
            | Keyword::AnyOf
            | Keyword::OneOf
            | Keyword::Not
    )
}

/// The paths of a schema whose nodes have an equal node.
fn twins(schema: &Schema) -> BTreeMap<SchemaPath, Vec<SchemaPath>> {
    let paths = nodes(schema);
    let mut by_name: HashMap<Option<&Step>, Vec<(&SchemaPath, &Schema)>> = HashMap::new();
    for (path, node) in &paths {
        by_name.entry(path.steps().last()).or_default().push((path, node));
    }
    let mut found = BTreeMap::new();
    for (path, node) in &paths {
        let named = by_name.get(&path.steps().last()).into_iter().flatten();
        let like: Vec<SchemaPath> =
            named.filter(|other| other.0 != path && other.1 == *node).map(|(path, _)| (*path).clone()).collect();
        if !like.is_empty() {
            found.insert(path.clone(), like);
        }
    }
    found
}

pub(super) fn is_identity(name: &str) -> bool {
    matches!(name, "apiVersion" | "kind" | "metadata")
}

fn removed(object: &Value, object_path: &[ObjectStep], name: &str) -> Value {
    match value_at(object, object_path) {
        Some(Value::Object(inner)) => {
            let mut inner = inner.clone();
            inner.remove(name);
            put(object, object_path, Value::Object(inner)).unwrap_or_else(|| object.clone())
        }
        _ => object.clone(),
    }
}

/// One path behind another.
fn joined(path: &str, below: &str) -> String {
    match (path.is_empty(), below.is_empty(), below.starts_with('[')) {
        (true, ..) => below.to_owned(),
        (_, true, _) => path.to_owned(),
        (_, _, true) => format!("{path}{below}"),
        (_, _, false) => format!("{path}.{below}"),
    }
}
