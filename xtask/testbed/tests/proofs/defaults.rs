//! Defaults on a real server: it fills in the same values as `crd_apiserver::apply_defaults`.
//!
//! Invariants: complete objects are compared, except metadata of the server. Objects are stored and read back.

use std::collections::BTreeMap;

use crd_apiserver::apply_defaults;
use crd_boundary::{AcceptedObject, ObjectStep, SchemaPath, Step};
use crd_model::Schema;
use serde_json::Value;

use crate::boundaries::subject::{self, Subject};
use crate::requests::authored;

/// The paths of a schema with a default.
fn defaults(schema: &Schema) -> Vec<(SchemaPath, &Value)> {
    let nodes = crd_boundary::nodes(schema).into_iter();
    nodes.filter_map(|(path, node)| Some((path, node.default.as_ref()?))).collect()
}

/// The object that the server should store.
fn completed(schema: &Schema, object: &Value) -> Value {
    let mut object = authored(object);
    apply_defaults(schema, &mut object);
    object
}

/// The number of reached defaults, and the differences.
#[derive(Default)]
struct Found {
    reached: usize,
    objects: usize,
    differences: Vec<String>,
}

/// An object to be stored.
struct Tried {
    is_status: bool,
    object: Value,
    /// The paths without a value, with the locations of their parents in the object.
    places: Vec<(SchemaPath, Vec<ObjectStep>)>,
}

fn try_all(subject: &Subject) -> Found {
    let mut found = Found::default();
    let mut search = subject.search();
    // One object often lacks several fields.
    let mut objects: BTreeMap<(bool, String), Tried> = BTreeMap::new();
    for (path, _) in defaults(subject.schema()) {
        let Some(held) = search.without(&path) else {
            found.differences.push(format!("{} {path}: no object without it is accepted", subject.name()));
            continue;
        };
        // A new object has no status at all.
        let is_status = subject.is_in_status(&path) && path.steps().len() > 1;
        let AcceptedObject { mut object, object_path } = held;
        if let Some(object) = object.as_object_mut().filter(|_| !is_status && subject.versioned.has_status()) {
            object.remove("status");
        }
        let entry = objects.entry((is_status, object.to_string()));
        entry.or_insert_with(|| Tried { is_status, object, places: Vec::new() }).places.push((path, object_path));
    }
    found.objects = objects.len();
    for Tried { is_status, object: sent, places } in objects.into_values() {
        let (answer, read) = subject.keep(is_status, &sent);
        let expected = completed(subject.schema(), &with_name_of(&answer, &sent));
        let names: Vec<String> = places.iter().map(|(path, _)| path.to_string()).collect();
        let before = found.differences.len();
        for (path, object_path) in &places {
            if has(&sent, path, object_path) || !has(&read, path, object_path) {
                found
                    .differences
                    .push(format!("{} {path}: not filled in\n  sent {sent}\n  got  {read}", subject.name()));
            }
        }
        for (what, got) in [("answer", authored(&answer)), ("read back", authored(&read))] {
            if got != expected {
                let objects = format!("  sent     {sent}\n  expected {expected}\n  got      {got}");
                found.differences.push(format!("{} {names:?} {what}:\n{objects}", subject.name()));
            }
        }
        if found.differences.len() == before {
            found.reached += places.len();
        }
    }
    found
}

/// Whether the object has the field; the locations are those of its parent.
fn has(object: &Value, path: &SchemaPath, object_path: &[ObjectStep]) -> bool {
    let Some(Step::Field(name)) = path.steps().last() else { return false };
    let around = AcceptedObject { object: object.clone(), object_path: object_path.to_vec() };
    around.value().is_some_and(|around| around.get(name).is_some())
}

/// The object with its stored name.
fn with_name_of(answer: &Value, sent: &Value) -> Value {
    let mut sent = sent.clone();
    sent["metadata"] = answer["metadata"].clone();
    sent
}

#[test]
fn the_server_fills_in_the_defaults_of_the_schemas() {
    let Some(subjects) = subject::all("defaults") else { return };
    let results = subject::for_each(&subjects, try_all);
    let (mut all, mut reached, mut objects) = (0, 0, 0);
    let mut differences = Vec::new();
    for (subject, found) in subjects.iter().zip(results) {
        let count = defaults(subject.schema()).len();
        println!("{:40} {count:3} defaults, {:3} reached", subject.name(), found.reached);
        all += count;
        reached += found.reached;
        objects += found.objects;
        differences.extend(found.differences);
    }
    println!("{reached} of {all} defaults reached, by {objects} objects");
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
    assert_eq!(reached, all);
    assert!(all > 300, "only {all} defaults");
}
