//! Places in objects, without the positions of list items: where two objects differ, and what covers such a place.

use crd_convert::Path;
use crd_convert::path::Segment;
use crd_model::schema::path;
use serde_json::Value;

/// Where a value is, with [`Segment::Item`] for each item of a list. Keys of maps are fields.
pub(super) type Place = Vec<Segment>;

/// Whether a path is this place, or contains it.
pub(super) fn covers(path: &[Segment], place: &[Segment]) -> bool {
    let is_same = |(path, place): (&Segment, &Segment)| {
        path == place || matches!((path, place), (Segment::Value, Segment::Field(_)))
    };
    path.len() <= place.len() && path.iter().zip(place).all(is_same)
}

/// The place as a text.
pub(super) fn show(place: &[Segment]) -> String {
    Path::new(place).map_or_else(|| "the whole object".to_owned(), |path| format!("`{path}`"))
}

/// The places in which two objects differ, as deep as possible, each once.
pub(super) fn differences(one: &Value, other: &Value) -> Vec<Place> {
    let mut found = Vec::new();
    collect(Some(one), Some(other), &mut Vec::new(), &mut found);
    found.sort();
    found.dedup();
    found
}

fn collect(one: Option<&Value>, other: Option<&Value>, at: &mut Place, found: &mut Vec<Place>) {
    let mut below = |segment: Segment, one: Option<&Value>, other: Option<&Value>| {
        at.push(segment);
        collect(one, other, at, found);
        at.pop();
    };
    match (one, other) {
        (one, other) if one == other => {}
        (Some(Value::Object(one)), Some(Value::Object(other))) => {
            let added = other.keys().filter(|key| !one.contains_key(*key));
            for key in one.keys().chain(added) {
                below(Segment::Field(key.clone()), one.get(key), other.get(key));
            }
        }
        (Some(Value::Object(only)), None) | (None, Some(Value::Object(only))) if !only.is_empty() => {
            only.iter().for_each(|(key, value)| below(Segment::Field(key.clone()), Some(value), None));
        }
        (Some(Value::Array(one)), Some(Value::Array(other))) if one.len() == other.len() => {
            one.iter().zip(other).for_each(|(one, other)| below(Segment::Item, Some(one), Some(other)));
        }
        _ => found.push(at.clone()),
    }
}

/// Every scalar of an object below `spec` and `status`, with its place.
pub(super) fn scalars_mut(object: &mut Value) -> Vec<(Place, &mut Value)> {
    let mut found = Vec::new();
    if let Value::Object(object) = object {
        for (key, value) in object.iter_mut().filter(|(key, _)| !["apiVersion", "kind", "metadata"].contains(&&***key))
        {
            scalars(value, vec![Segment::Field(key.clone())], &mut found);
        }
    }
    found
}

fn scalars<'v>(value: &'v mut Value, at: Place, found: &mut Vec<(Place, &'v mut Value)>) {
    let below = |segment: Segment| at.iter().cloned().chain([segment]).collect();
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                scalars(value, below(Segment::Field(key.clone())), found);
            }
        }
        Value::Array(items) => {
            for item in items {
                scalars(item, below(Segment::Item), found);
            }
        }
        scalar => found.push((at, scalar)),
    }
}

/// The values of an object at a place, as text for people; `nothing` if there is none.
pub(super) fn values(object: &Value, place: &[Segment]) -> String {
    match &*path::values(object, place) {
        [] => "nothing".to_owned(),
        values => values.iter().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", "),
    }
}
