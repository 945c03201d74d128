//! Whole objects around the values: the search for one that is accepted.
//!
//! How: an object that holds a place is grown from one that holds the place above, by the smallest value that fits. Where it is refused (CEL
//! rules), the good objects help, and then small edits around the new value: the other members of the `enum`, an optional field
//! more or less, a value that a good object has there, at the place itself first and further up later.
//!
//! Invariants: nothing is asked twice, and nothing that our own validator refuses; the number of questions for each place and constraint is
//! limited; the order is fixed.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fmt;

use serde_json::{Map, Value};

use super::edges::Broken;
use super::paths::{ObjectStep, SchemaPath, Step, at, put, show_object_path};
use super::values::{Effort, Maker};
use super::{Constraint, Keyword};
use crate::validate::{Subject, Violation};
use crd_model::schema::Schema;

/// How many objects are asked about for one place, or one constraint, at most.
const MOST_QUESTIONS: usize = 400;
/// How many of them before something else is looked at.
const FIRST_QUESTIONS: usize = 12;
/// How many outside values are looked at for one that breaks nothing else.
const MOST_OUTSIDES: usize = 8;
/// How many objects are changed a little, where one is refused.
const MOST_STARTS: usize = 8;
/// How many good objects are looked at for one place.
const MOST_EXAMPLES: usize = 5;

/// An accepted object with a value at a path.
#[derive(Clone, Debug, PartialEq)]
pub struct AcceptedObject {
    /// The object.
    pub object: Value,
    /// The path in the object.
    pub object_path: Vec<ObjectStep>,
}

impl AcceptedObject {
    /// The value at the path.
    pub fn value(&self) -> Option<&Value> {
        at(&self.object, &self.object_path)
    }
}

/// Both sides of a constraint.
#[derive(Clone, Debug, PartialEq)]
pub struct Boundary {
    /// Where the value is in both objects: `spec.listeners[0].port`.
    pub path: String,
    /// An accepted object.
    pub inside: Value,
    /// The same object, with a value there that breaks the constraint.
    pub outside: Value,
    /// What the inside object has there.
    pub inside_value: Value,
    /// What the outside object has there.
    pub outside_value: Value,
    /// Whether the inside value is as near to the constraint as a value can be. Where it is not, a nearer one was refused.
    pub is_nearest: bool,
    /// The violation that the validator reports; its path is that of the whole object.
    pub violation: Violation,
    /// What else the outside object breaks, where no value was found that breaks the constraint alone: a number beyond its `format` is
    /// beyond its `maximum` too.
    pub also: Vec<Violation>,
}

/// Why there are no two sides of a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unreached {
    /// No accepted object has something at that place.
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

/// Which changes are tried, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// One, in the new value.
    Within,
    /// The object around it without all that is optional, and then one.
    Bare,
    /// One, in the object around it.
    Beside,
    /// One, in an object further up.
    Above,
    /// One in the new value, the object around it without all that is optional, and then one.
    WithinAndBare,
    /// Two, in the object around it, without all that is optional.
    Pairs,
    /// Two, in the new value.
    WithinTwice,
}

impl Stage {
    const ALL: [Stage; 7] = [
        Stage::Within,
        Stage::Bare,
        Stage::Beside,
        Stage::Above,
        Stage::WithinAndBare,
        Stage::Pairs,
        Stage::WithinTwice,
    ];
}

/// An object around a place.
struct Around<'v> {
    place: SchemaPath,
    object_path: &'v [ObjectStep],
    object: &'v Map<String, Value>,
    /// Its field on the way to the place.
    kept: &'v str,
}

/// The objects around the value, the nearest first.
fn around<'v>(place: &SchemaPath, object: &'v Value, object_path: &'v [ObjectStep]) -> Vec<Around<'v>> {
    let mut found = Vec::new();
    let mut place = place.clone();
    for depth in (0..object_path.len()).rev() {
        let Some(above) = place.above() else { break };
        place = above;
        let (above, Some(ObjectStep::Field(kept))) = (&object_path[..depth], object_path.get(depth)) else { continue };
        if let Some(Value::Object(object)) = at(object, above) {
            found.push(Around { place: place.clone(), object_path: above, object, kept });
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
    /// Paths whose nodes are equal and have the same name, by path: what is good at one of them is likely good at the others.
    twins: BTreeMap<SchemaPath, Vec<SchemaPath>>,
    accepts: Accepts<'s>,
    verdicts: HashMap<(Option<Step>, String), bool>,
    held: BTreeMap<SchemaPath, Vec<AcceptedObject>>,
    /// What was found out about places, to be found out once.
    known: RefCell<BTreeMap<SchemaPath, Vec<Value>>>,
    small: RefCell<BTreeMap<SchemaPath, Vec<Value>>>,
    questions: usize,
}

impl fmt::Debug for Search<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Search").field("questions", &self.questions).finish_non_exhaustive()
    }
}

impl<'s> Search<'s> {
    /// A search in objects of this schema.
    ///
    /// `frame` is what every object has: `apiVersion`, `kind` and `metadata` of a whole resource, nothing of a part. `bases` are good objects;
    /// one that is not accepted is left out. `accepts` is asked about an object, and told for the sake of which place.
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
            bases,
            twins: twins(schema),
            accepts: Box::new(accepts),
            verdicts: HashMap::new(),
            held: BTreeMap::new(),
            known: RefCell::default(),
            small: RefCell::default(),
            questions: 0,
        }
    }

    /// How many objects have been asked about.
    pub fn questions(&self) -> usize {
        self.questions
    }

    /// Accepted objects that have something at the place, the smallest first; none, if none is found.
    pub fn held(&mut self, place: &SchemaPath) -> Vec<AcceptedObject> {
        if let Some(known) = self.held.get(place) {
            return known.clone();
        }
        let found = match (place.above(), place.steps().last()) {
            (Some(above), Some(step)) => self.grow(place, &above, step),
            _ => self.roots(),
        };
        self.held.insert(place.clone(), found.clone());
        found
    }

    /// An accepted object that has something at the place above this one, and nothing at this one: what defaults are filled into.
    pub fn without(&mut self, place: &SchemaPath) -> Option<AcceptedObject> {
        let (above, Step::Field(name)) = (place.above()?, place.steps().last()?) else { return None };
        let mut left = MOST_QUESTIONS;
        let held = self.held(&above);
        for AcceptedObject { object, object_path } in &held {
            let without = removed(object, object_path, name);
            if self.asks(place, &without, &mut left) {
                return Some(AcceptedObject { object: without, object_path: object_path.clone() });
            }
        }
        for stage in Stage::ALL {
            for AcceptedObject { object, object_path } in held.iter().take(MOST_STARTS) {
                let without = removed(object, object_path, name);
                let mut inner = object_path.clone();
                inner.push(ObjectStep::Field(name.clone()));
                for edited in self.variations(stage, place, &without, &inner) {
                    let edited = removed(&edited, object_path, name);
                    if self.asks(place, &edited, &mut left) {
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

    /// Both sides of a constraint, with an outside object that another schema takes, say: one for which `wanted` is true.
    ///
    /// # Errors
    /// Why there are none.
    pub fn boundary_where(
        &mut self,
        constraint: &Constraint<'s>,
        wanted: Option<&dyn Fn(&Value) -> bool>,
    ) -> Result<Boundary, Unreached> {
        let mut held = self.held(&constraint.place);
        held.extend(self.filled(constraint));
        let Some(node) = constraint.place.node(self.schema).filter(|_| !held.is_empty()) else {
            return Err(Unreached::NoObject);
        };
        let mut best: Option<Boundary> = None;
        let (inside, is_nearest) = self.inside(node, constraint, &held);
        let others = held.into_iter().map(|held| (held, is_far(&constraint.keyword)));
        for (held, is_nearest) in inside.into_iter().map(|held| (held, is_nearest)).chain(others) {
            let Some(found) = self.outside(node, constraint, &held, is_nearest, wanted) else { continue };
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

    /// Accepted objects in which a list or map that is counted has something already.
    fn filled(&mut self, constraint: &Constraint<'s>) -> Vec<AcceptedObject> {
        let step = match &constraint.keyword {
            Keyword::MinItems | Keyword::MaxItems | Keyword::UniqueItems | Keyword::ListMapKeys | Keyword::ListSet => {
                Step::Item
            }
            Keyword::MinProperties | Keyword::MaxProperties => Step::Value,
            _ => return Vec::new(),
        };
        let mut held = self.held(&constraint.place.with(step));
        for held in &mut held {
            held.object_path.pop();
        }
        held
    }

    /// An accepted object with a value that is as near to the constraint as can be; else any.
    fn inside(
        &mut self,
        node: &Schema,
        constraint: &Constraint<'s>,
        held: &[AcceptedObject],
    ) -> (Option<AcceptedObject>, bool) {
        let place = &constraint.place;
        let items = self.known(&place.with(Step::Item));
        let mut first = FIRST_QUESTIONS;
        for start in held {
            let tries = self.nearest(node, constraint, start, &items, Effort::Little);
            if let Some(found) = tries.into_iter().find(|held| self.asks(place, &held.object, &mut first)) {
                return (Some(found), true);
            }
        }
        // Rules can forbid repeated items. Items with each of the optional fields are different.
        if let Some(start) = held.first().filter(|_| node.items.is_some()) {
            let items = self.items(place, node);
            let mut first = 2 * FIRST_QUESTIONS;
            let tries = self.nearest(node, constraint, start, &items, Effort::Little);
            if let Some(found) = tries.into_iter().find(|held| self.asks(place, &held.object, &mut first)) {
                return (Some(found), true);
            }
        }
        let mut left = MOST_QUESTIONS;
        let mut tries = Vec::new();
        for start in held {
            for near in self.nearest(node, constraint, start, &items, Effort::Much) {
                if self.asks(place, &near.object, &mut left) {
                    return (Some(near), true);
                }
                tries.push(near);
            }
        }
        for stage in [Stage::Bare, Stage::Beside, Stage::Above, Stage::Pairs] {
            for AcceptedObject { object, object_path } in tries.iter().take(MOST_STARTS) {
                for edited in self.variations(stage, place, object, object_path) {
                    if self.asks(place, &edited, &mut left) {
                        return (Some(AcceptedObject { object: edited, object_path: object_path.clone() }), true);
                    }
                    if left == 0 {
                        break;
                    }
                }
            }
        }
        (held.first().cloned(), false)
    }

    /// The object with values as near to the constraint as can be.
    fn nearest(
        &self,
        node: &Schema,
        constraint: &Constraint<'s>,
        held: &AcceptedObject,
        items: &[Value],
        effort: Effort,
    ) -> Vec<AcceptedObject> {
        let Some(now) = held.value() else { return Vec::new() };
        let values = self.maker.insides(node, constraint, now, items, effort).into_iter();
        let objects = values.filter_map(|value| put(&held.object, &held.object_path, value));
        objects.map(|object| AcceptedObject { object, object_path: held.object_path.clone() }).collect()
    }

    /// Accepted items of a list, one for each field that they can have.
    fn items(&mut self, place: &SchemaPath, node: &Schema) -> Vec<Value> {
        let place = place.with(Step::Item);
        let names: Vec<String> =
            node.items.iter().flat_map(|items| items.properties.keys()).map(ToString::to_string).collect();
        let mut found: Vec<Value> = Vec::new();
        for name in names {
            if let Some(AcceptedObject { object, object_path }) = self.held(&place.with(Step::Field(name))).first()
                && let Some((_, above)) = object_path.split_last()
                && let Some(item) = at(object, above)
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
        held: &AcceptedObject,
        is_nearest: bool,
        wanted: Option<&dyn Fn(&Value) -> bool>,
    ) -> Option<Boundary> {
        let now = held.value()?;
        let mut best: Option<Boundary> = None;
        let effort = if wanted.is_some() { Effort::Much } else { Effort::Little };
        let outsides = self.maker.outsides(node, constraint, now, effort).into_iter().filter_map(|(value, broken)| {
            let outside = put(&held.object, &held.object_path, value.clone())?;
            wanted.is_none_or(|wanted| wanted(&outside)).then_some((value, outside, broken))
        });
        for (value, outside, Broken { by, .. }) in outsides.take(MOST_OUTSIDES) {
            let path = joined(&show_object_path(&held.object_path), &by.path);
            let mut also = self.maker.violations(self.subject, self.schema, &outside);
            // Words name paths, which are longer here.
            let same = |violation: &Violation| (violation.kind, &violation.path) == (by.kind, &path);
            let with_words = |violation: &Violation| same(violation) && violation.message == by.message;
            let Some(index) = also.iter().position(with_words).or_else(|| also.iter().position(same)) else { continue };
            let violation = also.remove(index);
            let found = Boundary {
                path: show_object_path(&held.object_path),
                inside: held.object.clone(),
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

    /// Objects that have what must be there, and the good ones.
    fn roots(&mut self) -> Vec<AcceptedObject> {
        let root = SchemaPath::root();
        let mut left = MOST_QUESTIONS;
        let mut found = Vec::new();
        for value in self.maker.small(self.schema) {
            let object = self.framed(value);
            if self.asks(&root, &object, &mut left) {
                found.push(object);
                break;
            }
            let edited =
                self.edits_within(&root, &object, 2).into_iter().find(|edited| self.asks(&root, edited, &mut left));
            if let Some(edited) = edited {
                found.push(edited);
                break;
            }
        }
        let bases: Vec<Value> = self.bases.drain(..).collect();
        self.bases = bases.into_iter().filter(|base| self.asks(&root, base, &mut usize::MAX.clone())).collect();
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

    fn grow(&mut self, place: &SchemaPath, above: &SchemaPath, step: &Step) -> Vec<AcceptedObject> {
        let parents = self.held(above);
        let examples: Vec<AcceptedObject> = self.examples(place);
        let Some(node) = place.node(self.schema) else { return Vec::new() };
        let mut left = MOST_QUESTIONS;
        let mut found: Option<AcceptedObject> = None;
        let small = self.small(place, node);
        let mut values = small.clone();
        values.extend(self.known(place));
        let mut tries = Vec::new();
        'parents: for (index, parent) in parents.iter().enumerate() {
            // A map has some entry, a list its first item.
            let there = SchemaPath::root().with(step.clone());
            let ways = parent.value().map(|value| there.object_path(value, MOST_EXAMPLES)).unwrap_or_default();
            if let Some(way) = ways.into_iter().find(|way| way.iter().all(ObjectStep::is_plain)) {
                let object_path = parent.object_path.iter().cloned().chain(way).collect();
                found = Some(AcceptedObject { object: parent.object.clone(), object_path });
                break;
            }
            if index > 0 && !examples.is_empty() {
                continue;
            }
            let mut object_path = parent.object_path.clone();
            object_path.push(ObjectStep::of(step));
            for value in &values {
                let Some(object) = put(&parent.object, &object_path, value.clone()) else { continue };
                if self.asks(place, &object, &mut left) {
                    found = Some(AcceptedObject { object, object_path });
                    break 'parents;
                }
                tries.push((object, object_path.clone()));
            }
        }
        if found.is_none() && examples.is_empty() {
            // Where there are good values, one of them is the better start.
            let is_small = |(object, object_path): &&(Value, Vec<ObjectStep>)| {
                at(object, object_path).is_some_and(|value| small.contains(value))
            };
            let (plain, good): (Vec<_>, Vec<_>) = tries.iter().partition(is_small);
            let starts: Vec<_> = good.into_iter().take(MOST_STARTS / 2).chain(plain).take(MOST_STARTS).collect();
            'found: for stage in Stage::ALL {
                for (object, object_path) in starts.iter().copied() {
                    for edited in self.variations(stage, place, object, object_path) {
                        if at(&edited, object_path).is_some() && self.asks(place, &edited, &mut left) {
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

    /// Where the good objects have the place, each once for everything that stands beside it.
    fn examples(&self, place: &SchemaPath) -> Vec<AcceptedObject> {
        let mut found = Vec::new();
        let mut seen = Vec::new();
        for base in &self.bases {
            for object_path in place.object_path(base, 2 * MOST_EXAMPLES) {
                let beside = object_path.split_last().and_then(|(_, above)| at(base, above)).cloned();
                if found.len() < MOST_EXAMPLES && !seen.contains(&beside) {
                    seen.push(beside);
                    found.push(AcceptedObject { object: base.clone(), object_path });
                }
            }
        }
        found
    }

    /// What good objects have at the place, or at one like it.
    fn known(&self, place: &SchemaPath) -> Vec<Value> {
        if let Some(known) = self.known.borrow().get(place) {
            return known.clone();
        }
        let mut found: Vec<Value> = Vec::new();
        for place in self.twins.get(place).into_iter().flatten().chain([place]) {
            for value in self.examples(place).iter().filter_map(AcceptedObject::value) {
                if found.len() < MOST_EXAMPLES && !found.contains(value) {
                    found.push(value.clone());
                }
            }
        }
        self.known.borrow_mut().insert(place.clone(), found.clone());
        found
    }

    /// Small values for the place; of a number also its edges.
    fn small(&self, place: &SchemaPath, node: &Schema) -> Vec<Value> {
        if let Some(known) = self.small.borrow().get(place) {
            return known.clone();
        }
        let mut found = self.maker.small(node);
        if matches!(node.kind.as_deref(), Some("integer" | "number")) {
            found.extend(self.maker.numbers(node));
        }
        self.small.borrow_mut().insert(place.clone(), found.clone());
        found
    }

    /// Whether the object is accepted, if there are questions left.
    fn asks(&mut self, place: &SchemaPath, object: &Value, left: &mut usize) -> bool {
        let key = (place.steps().first().cloned(), object.to_string());
        if let Some(verdict) = self.verdicts.get(&key) {
            return *verdict;
        }
        if *left == 0 || !self.maker.violations(self.subject, self.schema, object).is_empty() {
            return false;
        }
        *left -= 1;
        self.questions += 1;
        let verdict = (self.accepts)(place, object);
        self.verdicts.insert(key, verdict);
        verdict
    }

    /// The objects with small changes around the value, or in it: of one stage, the likeliest changes in the first.
    fn variations(&self, stage: Stage, place: &SchemaPath, object: &Value, object_path: &[ObjectStep]) -> Vec<Value> {
        let inner = |changes| {
            let edited =
                at(object, object_path).map(|value| self.edits_within(place, value, changes)).unwrap_or_default();
            edited.into_iter().filter_map(|value| put(object, object_path, value)).collect()
        };
        let around = around(place, object, object_path);
        let Some((nearest, farther)) = around.split_first() else {
            return if stage == Stage::Within { inner(1) } else { Vec::new() };
        };
        let bare = |around: &Around<'_>| {
            let required = around.place.node(self.schema).map(|node| node.required.as_slice()).unwrap_or_default();
            let mut bare = around.object.clone();
            bare.retain(|name, _| name == around.kept || required.iter().any(|required| required == name));
            bare
        };
        let whole =
            |around: &Around<'_>, edited: Map<String, Value>| put(object, around.object_path, Value::Object(edited));
        let singles = |around: &Around<'_>, start: &Map<String, Value>| -> Vec<Value> {
            let edits = self.edits(&around.place, start, Some(around.kept));
            edits.into_iter().filter_map(|edited| whole(around, edited)).collect()
        };
        match stage {
            Stage::Within => inner(1),
            Stage::Bare => {
                let bare = bare(nearest);
                whole(nearest, bare.clone()).into_iter().chain(singles(nearest, &bare)).collect()
            }
            Stage::Beside => singles(nearest, nearest.object),
            Stage::Above => farther.iter().flat_map(|around| singles(around, around.object)).collect(),
            Stage::Pairs => {
                let mut found = Vec::new();
                for edited in self.edits(&nearest.place, &bare(nearest), Some(nearest.kept)) {
                    let twice = self.edits(&nearest.place, &edited, Some(nearest.kept));
                    found.extend(twice.into_iter().filter_map(|edited| whole(nearest, edited)));
                    if found.len() > 2 * MOST_QUESTIONS {
                        break;
                    }
                }
                found
            }
            Stage::WithinAndBare => {
                let edited: Vec<Value> = inner(1);
                let twice = edited.iter().flat_map(|edited| self.variations(Stage::Bare, place, edited, object_path));
                twice.take(2 * MOST_QUESTIONS).collect()
            }
            Stage::WithinTwice => inner(2),
        }
    }

    /// The value with one change, or two, in any of the objects in it.
    fn edits_within(&self, place: &SchemaPath, value: &Value, changes: usize) -> Vec<Value> {
        let mut found = Vec::new();
        match value {
            Value::Object(object) => {
                for edited in self.edits(place, object, None) {
                    if changes > 1 {
                        found.extend(self.edits(place, &edited, None).into_iter().map(Value::Object));
                    }
                    found.push(Value::Object(edited));
                }
                for (name, below) in object {
                    let step = Step::Field(name.clone());
                    if place.steps().is_empty() && is_identity(name) {
                        continue;
                    }
                    for edited in self.edits_within(&place.with(step), below, changes) {
                        let mut other = object.clone();
                        other.insert(name.clone(), edited);
                        found.push(Value::Object(other));
                    }
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    for edited in self.edits_within(&place.with(Step::Item), item, changes) {
                        let mut other = items.clone();
                        other[index] = edited;
                        found.push(Value::Array(other));
                    }
                }
            }
            _ => {}
        }
        found.truncate(8 * MOST_QUESTIONS);
        found
    }

    /// The object with one field changed, more or less; this one stays as it is.
    fn edits(&self, place: &SchemaPath, object: &Map<String, Value>, kept: Option<&str>) -> Vec<Map<String, Value>> {
        let Some(node) = place.node(self.schema) else { return Vec::new() };
        let (mut members, mut additions, mut removals, mut others) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let with = |name: &str, value: Value| {
            let mut edited = object.clone();
            edited.insert(name.to_owned(), value);
            edited
        };
        for (name, property) in &node.properties {
            let is_fixed = place.steps().is_empty() && (is_identity(name) || name.as_ref() == "status");
            if kept == Some(name.as_ref()) || is_fixed {
                continue;
            }
            let now = object.get(name.as_ref());
            let place = place.with(Step::Field(name.to_string()));
            for member in property.enumeration.iter().flatten() {
                if now != Some(member) {
                    members.push(with(name, member.clone()));
                }
            }
            match now {
                None => {
                    let small = self.small(&place, property);
                    additions.extend(small.into_iter().map(|value| with(name, value)));
                }
                Some(_) if !node.required.contains(name) => {
                    let mut edited = object.clone();
                    edited.remove(name.as_ref());
                    removals.push(edited);
                }
                Some(_) => {}
            }
            let known = self.known(&place);
            others.extend(known.into_iter().filter(|value| Some(value) != now).map(|value| with(name, value)));
            if now.is_some_and(Value::is_number) {
                others.extend(self.small(&place, property).into_iter().map(|number| with(name, number)));
            }
        }
        [members, additions, removals, others].concat()
    }
}

/// Whether the inside value of such a constraint is near it whatever it is.
fn is_far(keyword: &Keyword) -> bool {
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
    let places = super::nodes(schema);
    let mut found = BTreeMap::new();
    for (place, node) in &places {
        let is_twin = |other: &&(SchemaPath, &Schema)| {
            other.0 != *place && other.0.steps().last() == place.steps().last() && other.1 == *node
        };
        let like: Vec<SchemaPath> = places.iter().filter(is_twin).map(|(place, _)| place.clone()).collect();
        if !like.is_empty() {
            found.insert(place.clone(), like);
        }
    }
    found
}

fn is_identity(name: &str) -> bool {
    matches!(name, "apiVersion" | "kind" | "metadata")
}

fn removed(object: &Value, object_path: &[ObjectStep], name: &str) -> Value {
    match at(object, object_path) {
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
