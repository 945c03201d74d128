//! Witnesses of CEL rules about updates, and of defaults that they read: a stored object and an update of it.
//!
//! Invariants: the old CRD accepts both objects as new ones, and the update. The candidate, and the old CRD with only this rule exchanged,
//! refuse the update, or one object as a new one. The number of tried updates is limited.

use crd_apiserver::objects::Resource;
use crd_inclusion::{Difference, Position};
use serde_json::Value;

use super::constants::Constants;
use super::rule::search as objects;
use super::trial::{Judge, Trial};
use super::{Target, Witness};

/// How many objects are updated, and how many updates each has.
const MOST_OBJECTS: usize = 120;
const MOST_UPDATES: usize = 24;

/// An update that only the old CRD accepts.
pub(super) fn search(trial: &Trial<'_>, target: Target<'_>) -> Option<Witness> {
    let (old, new, exchanged) = (trial.rules.old.as_ref()?, trial.rules.new.as_ref()?, trial.rules.exchanged.as_ref()?);
    let accepts = |resource: &Resource, before: &Value, after: &Value| {
        trial.written(resource, Some(before), after).0.is_accepted()
    };
    let witness = |before: &Value, after: &Value| {
        if accepts(exchanged, before, after) || !accepts(old, before, after) {
            return None;
        }
        match trial.written(new, Some(before), after) {
            (answer, _) if answer.is_accepted() => None,
            (_, false) => Some(Witness::Update { old: before.clone(), new: after.clone() }),
            (_, true) => Some(Witness::Status { stored: Some(before.clone()), object: after.clone() }),
        }
    };
    let mut known: Vec<Value> = Vec::new();
    let mut found = None;
    // A default is read by the rules around it.
    let around = match target.difference {
        Difference::Default(_) => target.position,
        _ => &Position::default(),
    };
    let constants = Constants::of(target.difference, around, Judge::Server);
    objects(trial, &constants, target, &mut |object, _| {
        if trial.is_refused(&object) {
            found = Some(trial.witness(object));
            return true;
        }
        if trial.is_exhausted() {
            return true;
        }
        if known.contains(&object) || !trial.written(old, None, &object).0.is_accepted() {
            return false;
        }
        let stored = object;
        for other in known.iter().rev().take(MOST_UPDATES) {
            if trial.is_exhausted() {
                return true;
            }
            found = witness(other, &stored).or_else(|| witness(&stored, other));
            if found.is_some() {
                return true;
            }
        }
        if stored.get("status").is_some() {
            let mut bare = stored.clone();
            bare.as_object_mut().map(|bare| bare.remove("status"));
            found = witness(&bare, &stored);
            if found.is_some() {
                return true;
            }
        }
        known.push(stored);
        known.len() >= MOST_OBJECTS
    });
    found
}
