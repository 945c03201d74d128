//! Edits of objects by path, and the edits that make one object of another.
//!
//! Invariants: [`differences`] is the inverse of applying its edits in order. Removals come after the values that are set, the last item first, so
//! that the index of an item is the one that it has in the object before them.

use crd_model::path::{Step, text};
use serde_json::{Map, Value};

/// A value to set at a path; none: to remove the value of the path.
pub type Edit = (Vec<Step>, Option<Value>);

/// Applies an edit. Maps on the way to a value are made; the index after the last item of a list adds an item.
///
/// # Errors
/// Why the path does not lead to a place for the value, or to the value that is removed.
pub fn apply(object: &mut Value, (steps, value): &Edit) -> Result<(), String> {
    let Some((last, above)) = steps.split_last() else {
        *object = value.clone().unwrap_or_default();
        return Ok(());
    };
    let mut target = object;
    for (index, step) in above.iter().enumerate() {
        target = entered(target, step, value.is_some()).ok_or_else(|| misses(&steps[..=index]))?;
    }
    match (value, last, target) {
        (Some(value), step, target) => {
            *entered(target, step, true).ok_or_else(|| misses(steps))? = value.clone();
            Ok(())
        }
        (None, Step::Field(name), Value::Object(map)) => map.remove(name).map(drop).ok_or_else(|| misses(steps)),
        (None, Step::Item(index), Value::Array(items)) if *index < items.len() => {
            items.remove(*index);
            Ok(())
        }
        (None, ..) => Err(misses(steps)),
    }
}

fn misses(steps: &[Step]) -> String {
    format!("the object has nothing at `{}`", text(steps))
}

/// The value of a step, made if it may be.
fn entered<'v>(value: &'v mut Value, step: &Step, is_made: bool) -> Option<&'v mut Value> {
    if is_made && value.is_null() {
        *value = match step {
            Step::Field(_) => Value::Object(Map::new()),
            Step::Item(_) => Value::Array(Vec::new()),
        };
    }
    match (step, value) {
        (Step::Field(name), Value::Object(map)) => {
            if is_made && !map.contains_key(name) {
                map.insert(name.clone(), Value::Null);
            }
            map.get_mut(name)
        }
        (Step::Item(index), Value::Array(items)) => {
            if is_made && *index == items.len() {
                items.push(Value::Null);
            }
            items.get_mut(*index)
        }
        _ => None,
    }
}

/// The shortest edits that make `new` of `old`: below each value, either edits of its parts or the whole value.
#[must_use]
pub fn differences(old: &Value, new: &Value) -> Vec<Edit> {
    let mut edits = Vec::new();
    below(old, new, &mut Vec::new(), &mut edits);
    let (mut set, removed): (Vec<Edit>, Vec<Edit>) = edits.into_iter().partition(|(_, value)| value.is_some());
    set.extend(removed.into_iter().rev());
    set
}

/// Adds the edits below a path.
fn below(old: &Value, new: &Value, path: &mut Vec<Step>, edits: &mut Vec<Edit>) {
    if old == new {
        return;
    }
    let begin = edits.len();
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            for (name, value) in new {
                path.push(Step::Field(name.clone()));
                match old.get(name) {
                    Some(old) => below(old, value, path, edits),
                    None => edits.push((path.clone(), Some(value.clone()))),
                }
                path.pop();
            }
            for name in old.keys().filter(|name| !new.contains_key(*name)) {
                edits.push((with(path, Step::Field(name.clone())), None));
            }
        }
        (Value::Array(old), Value::Array(new)) => {
            for (index, value) in new.iter().enumerate() {
                path.push(Step::Item(index));
                match old.get(index) {
                    Some(old) => below(old, value, path, edits),
                    None => edits.push((path.clone(), Some(value.clone()))),
                }
                path.pop();
            }
            edits.extend((new.len()..old.len()).map(|index| (with(path, Step::Item(index)), None)));
        }
        _ => edits.push((path.clone(), Some(new.clone()))),
    }
    let length = |value: &Value| value.to_string().len();
    let of_edit = |(path, value): &Edit| text(path).len() + value.as_ref().map_or(0, length);
    if edits[begin..].iter().map(of_edit).sum::<usize>() > text(&*path).len() + length(new) {
        edits.truncate(begin);
        edits.push((path.clone(), Some(new.clone())));
    }
}

fn with(path: &[Step], step: Step) -> Vec<Step> {
    path.iter().cloned().chain([step]).collect()
}
