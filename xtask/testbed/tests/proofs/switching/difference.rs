//! Where the two channels differ, and what that means for an object.
//!
//! Invariants: nothing is known here of single resources or fields; a path is `.name` for a property, `[]` for a list's items and `{}` for a
//! map's values.

use std::collections::BTreeSet;

use crd_apiserver::prune;
use crd_channels::Channel;
use crd_model::Schema;
use crd_model::schema::{SchemaPath, Step};
use serde_json::Value;

use crate::channels::only::{Element, Only};
use crate::channels::pairs;
use crate::documents::{VersionedKind, crds};

fn shown(steps: &[Step]) -> String {
    let step = |step: &Step| match step {
        Step::Field(name) => format!(".{name}"),
        Step::Item => "[]".to_owned(),
        Step::Value => "{}".to_owned(),
    };
    steps.iter().map(step).collect()
}

/// All nodes of a schema with their paths, parents first.
pub(crate) fn nodes(schema: &'static Schema) -> Vec<(String, &'static Schema)> {
    crd_model::schema::nodes(schema).into_iter().map(|(path, node)| (shown(path.steps()), node)).collect()
}

/// The same version of the resource in the standard bundle, served or not.
pub(crate) fn in_standard(versioned: VersionedKind) -> Option<VersionedKind> {
    VersionedKind::all(Channel::Standard).find(|other| other.name() == versioned.name())
}

/// Whether the standard bundle has this CRD.
pub(crate) fn is_in_standard(crd: &str) -> bool {
    crds(Channel::Standard).iter().any(|standard| standard.name == crd)
}

/// What only the experimental channel has in versions that it serves: the entry, its path and its node.
fn entries() -> impl Iterator<Item = (VersionedKind, Only, String, &'static Schema)> {
    pairs().into_iter().flat_map(|pair| {
        pair.everything().into_iter().map(move |only| {
            let path = only.path.iter().cloned().fold(SchemaPath::root(), |path, step| path.with(step));
            let node = path.node(&pair.version.schema).expect("a node of the schema");
            let path = shown(&only.path);
            (pair.versioned(), only, path, node)
        })
    })
}

/// The topmost nodes that only the experimental channel has; the root if standard does not have the version.
pub(crate) fn only_experimental() -> Vec<(VersionedKind, String, &'static Schema)> {
    let is_topmost = |versioned: VersionedKind, only: &Only| match only.element {
        Element::Field => true,
        Element::Version => in_standard(versioned).is_none(),
        _ => false,
    };
    let topmost = entries().filter(|(versioned, only, ..)| is_topmost(*versioned, only));
    topmost.map(|(versioned, _, path, node)| (versioned, path, node)).collect()
}

/// The enum values that only the experimental channel has, where both have the field.
pub(crate) fn only_experimental_values() -> Vec<(VersionedKind, String, &'static Schema, Value)> {
    let value = |(versioned, only, path, node): (VersionedKind, Only, String, &'static Schema)| match only.element {
        Element::Value(value) => Some((versioned, path, node, serde_json::from_str(&value).expect("JSON"))),
        _ => None,
    };
    entries().filter_map(value).collect()
}

/// The object without fields that this schema does not have.
pub(super) fn pruned(object: &Value, schema: &Schema) -> Value {
    let mut object = object.clone();
    prune(schema, &mut object);
    object
}

/// The paths that one value has and the other lacks; panics where they differ otherwise.
pub(super) fn lost(full: &Value, poor: &Value, path: &str, found: &mut BTreeSet<String>) {
    match (full, poor) {
        (Value::Object(full), Value::Object(poor)) => {
            for key in poor.keys() {
                assert!(full.contains_key(key), "{path}.{key} was added");
            }
            for (key, full) in full {
                let below = format!("{path}.{key}");
                match poor.get(key) {
                    Some(poor) => lost(full, poor, &below, found),
                    None => drop(found.insert(below)),
                }
            }
        }
        (Value::Array(full), Value::Array(poor)) => {
            assert_eq!(full.len(), poor.len(), "{path}");
            full.iter().zip(poor).for_each(|(full, poor)| lost(full, poor, &format!("{path}[]"), found));
        }
        _ => assert_eq!(full, poor, "{path}"),
    }
}
