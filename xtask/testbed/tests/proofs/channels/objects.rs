//! Objects that use experimental fields, values and resources.
//!
//! Invariants: the list of experimental API comes from [`super::only`]. The same answers of the server give the same objects.

use std::collections::BTreeSet;

use crd_boundary::Search;
use crd_channels::Channel;
use crd_model::schema::SchemaPath;
use serde_json::{Value, json};

use super::only::{Element, Only, Pair};
use crate::documents::our_examples;

/// How many objects are searched for one that has an entry.
const VARIED: usize = 100;

/// The entries that an object uses.
fn used(pair: &Pair<'_>, object: &Value) -> BTreeSet<Only> {
    pair.used_by(object).into_iter().map(|used| used.only).collect()
}

/// The object without other experimental fields, as far as it is valid without them.
fn bare(pair: &Pair<'_>, only: &Only, mut object: Value, accepts: &dyn Fn(&Value) -> bool) -> Value {
    for other in pair.used_by(&object) {
        let (above, name) = other.pointer.rsplit_once('/').unwrap_or_default();
        let mut without = object.clone();
        let is_another = other.only.element == Element::Field && other.only != *only;
        let Some(Value::Object(entries)) = without.pointer_mut(above).filter(|_| is_another) else { continue };
        entries.remove(name);
        if used(pair, &without).contains(only) && accepts(&without) {
            object = without;
        }
    }
    object
}

/// An accepted object for each wanted entry of a version, with the lowest rank and as few other experimental fields as possible; `None` if no
/// object was found.
pub(crate) fn objects(
    pair: &Pair<'static>,
    namespace: &str,
    wanted: &BTreeSet<Only>,
    rank: impl Fn(&Value) -> usize,
    accepts: &dyn Fn(&Value) -> bool,
) -> Vec<(Only, Option<Value>)> {
    let versioned = pair.versioned();
    let examples = Channel::ALL.into_iter().flat_map(our_examples).map(|example| example.object);
    let bases = examples.filter(|example| example["kind"] == versioned.kind()).map(|example| {
        let mut example = versioned.placed(&example, namespace, "subject");
        example["apiVersion"] = json!(versioned.api_version());
        example
    });
    let frame = json!({"apiVersion": versioned.api_version(), "kind": versioned.kind()});
    let frame = versioned.placed(&frame, namespace, "subject").as_object().expect("an object").clone();
    let mut search = Search::new(&pair.version.schema, frame, bases.collect(), |_, object| accepts(object));
    let place = |only: &Only| only.path.iter().cloned().fold(SchemaPath::root(), |place, step| place.with(step));
    let mut found: Vec<(BTreeSet<Only>, Value)> = Vec::new();
    for only in wanted {
        let accepted = search.accepted(&place(only)).into_iter();
        found.extend(accepted.map(|accepted| (used(pair, &accepted.object), accepted.object)));
    }
    let object = |only: &Only| {
        let users = found.iter().filter(|(used, _)| used.contains(only)).map(|(_, object)| object);
        let best = users.min_by_key(|object| (rank(object), object.to_string().len(), object.to_string())).cloned();
        best.or_else(|| {
            // The search ends at any value of an enum.
            let (Element::Value(value) | Element::InnerValue(value)) = &only.element else { return None };
            let value: Value = serde_json::from_str(value).expect("a value as JSON");
            let mut changed = search.varied(&place(only), VARIED, 1).into_iter().filter_map(|mut object| {
                let other = pair.used_by(&object).into_iter().find(|other| other.only.path == only.path)?;
                *object.pointer_mut(&other.pointer)? = value.clone();
                Some(object)
            });
            changed.find(|object| accepts(object))
        })
    };
    let objects: Vec<Option<Value>> = wanted.iter().map(object).collect();
    let objects = wanted.iter().zip(objects);
    objects.map(|(only, object)| (only.clone(), object.map(|object| bare(pair, only, object, accepts)))).collect()
}
