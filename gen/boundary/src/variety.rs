//! Different accepted objects with a value at a path: those of the search, and seeded edits of them.
//!
//! Invariants: the same schema, path, count and seed give the same objects in the same order. Every object is accepted and has a value at the
//! path. The number of checks is limited by the count.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use crd_model::schema::{SchemaPath, Step};
use serde_json::{Map, Value};

use super::object_paths::matching;
use super::search::{Search, is_identity};
use super::values::map_key;

/// How many edits are checked for each object.
const TRIES: usize = 12;

/// Numbers that look random and depend on a seed only (SplitMix64).
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// Dice with a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below a limit; 0 if the limit is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        let limit = u64::try_from(limit).unwrap_or(u64::MAX);
        usize::try_from(mixed.checked_rem(limit).unwrap_or(0)).unwrap_or(0)
    }

    /// One of the items.
    pub fn one<'i, T>(&mut self, items: &'i [T]) -> Option<&'i T> {
        items.get(self.below(items.len()))
    }
}

impl Search<'_> {
    /// Different accepted objects that have a value at the path, at most `count`: first those of [`Search::accepted`], then seeded edits of them
    /// with values on the edges of the schema. Fewer if the edits do not find enough; none if no object with a value there is found.
    pub fn varied(&mut self, path: &SchemaPath, count: usize, seed: u64) -> Vec<Value> {
        let mut dice = Dice::new(seed);
        let mut seen = HashSet::new();
        let mut found: Vec<Value> = Vec::new();
        for accepted in self.accepted(path) {
            if found.len() < count && seen.insert(digest(&accepted.object)) {
                found.push(accepted.object);
            }
        }
        let has_status = matches!(path.steps().first(), Some(Step::Field(name)) if name == "status");
        let mut left = TRIES.saturating_mul(count);
        while found.len() < count && left > 0 {
            // Of the smallest objects and of edited ones.
            let Some(mut edited) = dice.one(&found).cloned() else { break };
            for _ in 0..=dice.below(3) {
                self.edit(&SchemaPath::root(), &mut edited, has_status, &mut dice);
            }
            let has_value = path.steps().is_empty() || !matching(path, &edited, 1).is_empty();
            left -= 1;
            if has_value && seen.insert(digest(&edited)) && self.accepts(path, &edited) {
                found.push(edited);
            }
        }
        found
    }

    /// Changes one value somewhere in the object.
    fn edit(&mut self, path: &SchemaPath, value: &mut Value, has_status: bool, dice: &mut Dice) {
        let Some(node) = path.node(self.schema()) else { return };
        match value {
            Value::Object(object) if !node.properties.is_empty() => {
                let is_fixed =
                    |name: &str| path.steps().is_empty() && (is_identity(name) || name == "status" && !has_status);
                let names: Vec<&str> =
                    node.properties.keys().map(AsRef::as_ref).filter(|name: &&str| !is_fixed(name)).collect();
                // Nearer to what the object has.
                let present: Vec<&str> = names.iter().copied().filter(|name| object.contains_key(*name)).collect();
                let names = if !present.is_empty() && dice.below(3) > 0 { present } else { names };
                let Some(name) = dice.one(&names).map(|name| (*name).to_owned()) else { return };
                let is_required = node.required.iter().any(|required| **required == *name);
                let below = path.with(Step::Field(name.clone()));
                match object.get_mut(&name) {
                    Some(_) if !is_required && dice.below(6) == 0 => drop(object.remove(&name)),
                    Some(value) => self.edit(&below, value, has_status, dice),
                    None => self.insert(&below, object, name, dice),
                }
            }
            Value::Object(object) if node.values().is_some() => {
                let below = path.with(Step::Value);
                let names: Vec<String> = object.keys().cloned().collect();
                match dice.one(&names).filter(|_| dice.below(3) > 0).and_then(|name| object.get_mut(name)) {
                    Some(value) => self.edit(&below, value, has_status, dice),
                    None => self.insert(&below, object, map_key(names.len()), dice),
                }
            }
            Value::Array(items) if node.items.is_some() => {
                let below = path.with(Step::Item);
                let index = dice.below(items.len());
                match (items.get_mut(index), dice.below(8)) {
                    (Some(item), 2..) => self.edit(&below, item, has_status, dice),
                    (Some(item), 0) => {
                        // A different item with what this one has.
                        let mut other = item.clone();
                        self.edit(&below, &mut other, has_status, dice);
                        items.push(other);
                    }
                    _ => items.extend(dice.one(&self.edges(&below)).cloned()),
                }
            }
            // Edges alone are too few for a small schema.
            Value::String(text) if node.enumeration.is_none() && dice.below(3) == 0 => *text = word(dice),
            Value::Number(number) if node.enumeration.is_none() && dice.below(3) == 0 => {
                let near = number.as_i64().unwrap_or(0).saturating_add(i64::try_from(dice.below(1000)).unwrap_or(0));
                *number = near.into();
            }
            other => {
                let edges = self.edges(path);
                if let Some(edge) = dice.one(&edges) {
                    other.clone_from(edge);
                }
            }
        }
    }

    fn insert(&self, path: &SchemaPath, object: &mut Map<String, Value>, name: String, dice: &mut Dice) {
        if let Some(edge) = dice.one(&self.edges(path)) {
            object.insert(name, edge.clone());
        }
    }
}

/// A short text that most patterns of names take.
fn word(dice: &mut Dice) -> String {
    let letters = b"abcdefghijklmnopqrstuvwxyz0123456789-.";
    let length = 1 + dice.below(10);
    (0..length).filter_map(|_| dice.one(letters)).map(|letter| char::from(*letter)).collect()
}

/// Different for different values; a collision costs one object.
fn digest(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
