//! Facts: what a rule can read, and the values that each can have.
//!
//! Invariants: the values of a fact are all values that it can have. Values between two constants are one value, because no rule
//! distinguishes them.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use crd_model::Schema;
use crd_regexp::recognise;
use serde_json::Value;

use super::About;

/// The number of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Name(pub(super) usize);

/// A place in the value: a path of fields and items. Its name decides its schema.
#[derive(Clone, Copy)]
pub(super) struct Place<'q> {
    /// Its schema; none if it has none.
    pub(super) schema: Option<&'q Schema>,
    pub(super) name: Name,
}

impl PartialEq for Place<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Place<'_> {}

impl Hash for Place<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

/// A value, as far as it is certain.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Known {
    Failed,
    Truth(bool),
    /// Any integer from the first to the last.
    Integer(i128, i128),
    Text(Rc<str>),
    /// A text that is none of these.
    OtherText(Rc<BTreeSet<String>>),
    Value,
}

pub(super) struct Fact {
    pub(super) about: About,
    pub(super) values: Rc<[Known]>,
}

/// The constants that a place is compared with.
#[derive(Default)]
pub(super) struct Constants {
    pub(super) integers: BTreeSet<i128>,
    pub(super) texts: BTreeSet<String>,
}

/// Which value each fact has.
#[derive(Clone, Default)]
pub(super) struct World {
    /// The position of the value among those of the fact.
    chosen: Vec<Option<u32>>,
}

impl World {
    pub(super) fn get(&self, fact: usize) -> Option<usize> {
        self.chosen.get(fact)?.and_then(|value| usize::try_from(value).ok())
    }

    /// The world with one more known fact.
    pub(super) fn with(&self, fact: usize, value: usize) -> Self {
        let mut chosen = Vec::with_capacity(self.chosen.len().max(fact + 1));
        chosen.extend_from_slice(&self.chosen);
        if chosen.len() <= fact {
            chosen.resize(fact + 1, None);
        }
        chosen[fact] = u32::try_from(value).ok();
        Self { chosen }
    }
}

pub(super) fn truths() -> Vec<Known> {
    vec![Known::Truth(true), Known::Truth(false)]
}

/// Those of the two that the `enum` of a node lists.
pub(super) fn listed_truths(schema: &Schema) -> Vec<Known> {
    let listed = schema.enumeration.as_deref().filter(|listed| !listed.is_empty());
    let of = |truth: bool| listed.is_none_or(|listed| listed.contains(&Value::Bool(truth)));
    [true, false].into_iter().filter(|truth| of(*truth)).map(Known::Truth).collect()
}

/// True, false, and failed.
pub(super) fn truths_or_failed() -> Vec<Known> {
    vec![Known::Truth(true), Known::Truth(false), Known::Failed]
}

/// The integers of a range, cut at the constants.
pub(super) fn integers(constants: &Constants, least: i128, most: i128) -> Vec<Known> {
    let mut values = Vec::new();
    let mut next = least;
    for constant in constants.integers.iter().copied().filter(|constant| (least..=most).contains(constant)) {
        if next < constant {
            values.push(Known::Integer(next, constant - 1));
        }
        values.push(Known::Integer(constant, constant));
        next = constant + 1;
    }
    if next <= most {
        values.push(Known::Integer(next, most));
    }
    values
}

/// The integers that the `enum` of a node lists; none if it has no `enum` of integers alone.
pub(super) fn listed_integers(schema: &Schema) -> Option<Vec<Known>> {
    let listed = schema.enumeration.as_ref().filter(|listed| !listed.is_empty())?;
    let known = |value: &Value| value.as_i64().map(i128::from).map(|integer| Known::Integer(integer, integer));
    listed.iter().map(known).collect()
}

/// The texts that a node accepts, as far as the constants distinguish them. `schema` is none for a text without a schema.
pub(super) fn texts(constants: &Constants, schema: Option<&Schema>) -> Vec<Known> {
    let listed = schema.and_then(|schema| schema.enumeration.as_ref());
    if let Some(listed) = listed.filter(|listed| !listed.is_empty()) {
        return listed.iter().filter_map(Value::as_str).map(|text| Known::Text(text.into())).collect();
    }
    let pattern = schema.and_then(|schema| schema.pattern.as_deref()).filter(|_| !constants.texts.is_empty());
    let pattern = pattern.and_then(|pattern| recognise(pattern).ok());
    let is_possible = |text: &&String| {
        let Some(schema) = schema else { return true };
        let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
        !(schema.min_length.is_some_and(|least| length < least)
            || schema.max_length.is_some_and(|most| length > most)
            || pattern.as_ref().is_some_and(|pattern| pattern.is_match(text) == Some(false)))
    };
    let mut values =
        constants.texts.iter().filter(is_possible).map(|text| Known::Text(text.as_str().into())).collect::<Vec<_>>();
    values.push(Known::OtherText(Rc::new(constants.texts.clone())));
    values
}

/// The least and the most that a schema permits of a size, between 0 and the largest integer.
pub(super) fn sizes(schema: Option<&Schema>) -> (i128, i128) {
    let Some(schema) = schema else { return (0, i128::from(i64::MAX)) };
    let (least, most) = match schema.kind.as_deref() {
        Some("string") => (schema.min_length, schema.max_length),
        Some("array") => (schema.min_items, schema.max_items),
        Some("object") => (schema.min_properties, schema.max_properties),
        _ => (None, None),
    };
    (i128::from(least.unwrap_or(0).max(0)), i128::from(most.unwrap_or(i64::MAX)))
}

/// The least and the most integer that a schema accepts. Servers before 1.36 do not enforce `int32`.
pub(super) fn bounds(schema: &Schema) -> (i128, i128) {
    let whole =
        |limit: &Option<serde_json::Number>| limit.as_ref().and_then(serde_json::Number::as_i64).map(i128::from);
    let (least, most) = (i128::from(i64::MIN), i128::from(i64::MAX));
    let exclusive = |is_exclusive: bool| i128::from(is_exclusive);
    let minimum = whole(&schema.minimum).map_or(least, |limit| limit + exclusive(schema.exclusive_minimum));
    let maximum = whole(&schema.maximum).map_or(most, |limit| limit - exclusive(schema.exclusive_maximum));
    (minimum.max(least), maximum.min(most))
}
