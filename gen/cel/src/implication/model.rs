//! Values that make formulas true, as JSON: what a server may accept and refuse.
//!
//! Invariants: a value is a proposal. Only what the rules read is in it, and nothing is promised about the rest: the evaluator decides. The same
//! question has the same values in the same order.

use std::collections::{BTreeMap, BTreeSet};

use crd_model::path::{self, Step};
use serde_json::{Map, Value, json};

use super::facts::{Name, Place};
use super::formula::Atom;
use super::translation::Translation;

/// How many items a list gets.
const LONGEST_LIST: usize = 64;

/// What is true of an object that the solver found.
pub(super) struct Assignment<'q> {
    /// Each atom, by its place among all of them.
    pub(super) atoms: Vec<(usize, Atom, bool)>,
    /// The items that exist, each behind its list or map.
    pub(super) items: Vec<(Place<'q>, Place<'q>)>,
}

/// The value at `self` that an assignment describes; none if texts cannot be found for it.
pub(super) fn value(translation: &mut Translation<'_, '_>, assignment: &Assignment<'_>) -> Option<Value> {
    let texts = translation.theory.solved_texts(&assignment.atoms)?;
    let numbers = translation.theory.solved_numbers(&assignment.atoms);
    let path = |name: Name| translation.question.path_of(name);
    let (mut known, absent) = presence(assignment, &path);
    let texts = texts.into_iter().map(|(name, text)| (name, json!(text)));
    let numbers = numbers.into_iter().filter_map(|(name, number)| Some((name, json!(i64::try_from(number).ok()?))));
    for (name, value) in texts.chain(numbers) {
        if let Some(path) = path(name) {
            known.insert(path, value);
        }
    }
    let placement = Placement::new(assignment, &known, &path);
    let mut whole = Value::Null;
    for (path, value) in &known {
        if let Some(placed) = placement.placed(path)
            && !absent.iter().any(|absent| path.starts_with(absent))
        {
            let value = if placement.keys.contains_key(path) { &Value::Null } else { value };
            place(&mut whole, &placed, value);
        }
    }
    // Lists have as many items as were counted.
    let sizes = translation.theory.solved_counts(&assignment.atoms);
    for count in translation.counts.iter().filter(|count| count.items.layers.is_empty()) {
        let (Some(size), Some(path)) = (sizes.get(&count.number), path(count.range.name)) else { continue };
        let Some(placed) = placement.placed(&path) else { continue };
        let size = usize::try_from(*size).unwrap_or(0).min(LONGEST_LIST);
        if let Some(Value::Array(items)) = path::value_at_mut(&mut whole, &placed) {
            while items.len() < size {
                items.push(items.first().cloned().unwrap_or(Value::Null));
            }
        }
    }
    Some(whole)
}

/// Values by their paths from `self`.
type Known = BTreeMap<Vec<Step>, Value>;

/// The present places, with their values where they are true or false, and the absent ones.
fn presence(assignment: &Assignment<'_>, path: &dyn Fn(Name) -> Option<Vec<Step>>) -> (Known, Vec<Vec<Step>>) {
    let (mut known, mut absent) = (Known::new(), Vec::new());
    for (_, atom, is_true) in &assignment.atoms {
        match atom {
            Atom::Present(name) => match path(*name) {
                Some(path) if *is_true => drop(known.entry(path).or_insert(Value::Null)),
                Some(path) => absent.push(path),
                None => {}
            },
            Atom::Truth(name) => {
                if let Some(path) = path(*name) {
                    known.insert(path, json!(is_true));
                }
            }
            _ => {}
        }
    }
    for name in assignment.items.iter().flat_map(|(range, item)| [range.name, item.name]) {
        if let Some(path) = path(name) {
            known.entry(path).or_insert(Value::Null);
        }
    }
    (known, absent)
}

/// Where the items are that exist. Items that do not exist have values too.
struct Placement {
    /// The numbers of the items of each list.
    positions: BTreeMap<Vec<Step>, BTreeSet<usize>>,
    /// The keys that are the items of maps.
    keys: BTreeMap<Vec<Step>, String>,
}

impl Placement {
    fn new(assignment: &Assignment<'_>, known: &Known, path: &dyn Fn(Name) -> Option<Vec<Step>>) -> Self {
        let mut placement = Self { positions: BTreeMap::new(), keys: BTreeMap::new() };
        for (range, item) in &assignment.items {
            let (Some(range_path), Some(item_path)) = (path(range.name), path(item.name)) else { continue };
            if let Some(Step::Item(number)) = item_path.last() {
                placement.positions.entry(range_path).or_default().insert(*number);
            }
            if range.schema.is_some_and(|schema| schema.kind.as_deref() == Some("object")) {
                let key = known.get(&item_path).and_then(Value::as_str).unwrap_or("a").to_owned();
                placement.keys.insert(item_path, key);
            }
        }
        placement
    }

    /// The path with places of items, or their keys; none if an item does not exist.
    fn placed(&self, path: &[Step]) -> Option<Vec<Step>> {
        let step = |(index, step): (usize, &Step)| match step {
            Step::Field(_) => Some(step.clone()),
            Step::Item(number) => match self.keys.get(&path[..=index]) {
                Some(key) => Some(Step::Field(key.clone())),
                None => {
                    let numbers = self.positions.get(&path[..index])?;
                    numbers.contains(number).then(|| Step::Item(numbers.range(..number).count()))
                }
            },
        };
        path.iter().enumerate().map(step).collect()
    }
}

/// Puts a value at a path.
fn place(whole: &mut Value, path: &[Step], value: &Value) {
    let mut at = whole;
    for step in path {
        at = match step {
            Step::Field(name) => {
                if !at.is_object() {
                    *at = Value::Object(Map::new());
                }
                let Some(object) = at.as_object_mut() else { return };
                object.entry(name.clone()).or_insert(Value::Null)
            }
            Step::Item(number) => {
                if !at.is_array() {
                    *at = json!([]);
                }
                let Some(items) = at.as_array_mut() else { return };
                if items.len() <= *number {
                    items.resize(number + 1, Value::Null);
                }
                &mut items[*number]
            }
        };
    }
    if at.is_null() {
        at.clone_from(value);
    }
}
