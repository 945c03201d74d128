//! Witnesses of CEL rules about updates: a stored object and an update of it.
//!
//! Invariants: the old CRD accepts both objects as new ones, and the update. The candidate, and the old CRD with only this rule exchanged,
//! refuse the update, or one object as a new one. The number of tried updates is limited.

use std::rc::Rc;

use crd_apiserver::objects::{FieldValidation, Request, Resource};
use crd_boundary::SchemaPath;
use crd_inclusion::{Difference, Position};
use serde_json::{Map, Value};

use super::constants::Constants;
use super::rule::search as objects;
use super::{Judge, Trial, as_sent, create};
use crate::finding::Witness;

/// How many objects are updated, and how many updates each has.
const MOST_OBJECTS: usize = 120;
const MOST_UPDATES: usize = 24;

/// An update that only the old CRD accepts; of the status, if it is written apart and the path is in it.
pub(super) fn search(
    trial: &Trial<'_>,
    is_status: bool,
    difference: &Difference<'_>,
    path: &SchemaPath,
    frame: &Map<String, Value>,
) -> Option<Witness> {
    let (old, new, exchanged) = (trial.rules.old.as_ref()?, trial.rules.new.as_ref()?, trial.rules.exchanged.as_ref()?);
    let accepts = |resource: &Rc<Resource>, before: &Value, after: &Value| {
        let [before, after] = [before, after].map(|object| {
            let mut object = as_sent(resource, object.clone());
            // Servers demand it of updates.
            object["metadata"]["resourceVersion"] = Value::from("1");
            object
        });
        let update = if is_status { Request::update_status } else { Request::update };
        resource.answer(update(&before, after).fields(FieldValidation::Ignore)).is_accepted()
    };
    let is_witness = |before: &Value, after: &Value| {
        !accepts(exchanged, before, after) && !accepts(new, before, after) && accepts(old, before, after)
    };
    let mut known: Vec<Value> = Vec::new();
    let mut found = None;
    let constants = Constants::of(difference, &Position::default(), Judge::Server);
    objects(trial, &constants, path, frame, &mut |object, _| {
        if trial.is_refused(&object) {
            found = Some(Witness::Object(object));
            return true;
        }
        // The creation of an object ignores a status that is written apart.
        let is_accepted = match is_status {
            true => trial.is_accepted(&object),
            false => old.answer(create(old, object.clone())).is_accepted(),
        };
        if known.contains(&object) || !is_accepted {
            return false;
        }
        let stored = object;
        for other in known.iter().rev().take(MOST_UPDATES) {
            if trial.is_exhausted() {
                return true;
            }
            trial.charge(&stored);
            let pairs = [(other, &stored), (&stored, other)];
            if let Some((before, after)) = pairs.into_iter().find(|(before, after)| is_witness(before, after)) {
                found = Some(Witness::Update { old: before.clone(), new: after.clone() });
                return true;
            }
        }
        let mut without_status = stored.clone();
        if is_status && let Some(fields) = without_status.as_object_mut() {
            fields.remove("status");
        }
        if is_witness(&without_status, &stored) {
            found = Some(Witness::Update { old: without_status, new: stored });
            return true;
        }
        known.push(stored);
        known.len() >= MOST_OBJECTS
    });
    found
}
