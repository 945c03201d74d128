//! Values that a change is likely to refuse, to be put where the difference is.
//!
//! Fed with a difference, and with a value that the old schema takes there. Read by [`super`], which believes none of them.
//!
//! Invariants: the likeliest and smallest come first; few, and always the same.

use serde_json::{Value, json};

use crate::difference::{Difference, Subject};
use crd_regexp::inclusion::{self as pattern, Relation};

/// How many multiples of an old step are tried.
const MULTIPLES: i64 = 24;

/// How many values of a list are tried.
const MOST_MEMBERS: usize = 256;

/// The values, `now` being one that the old schema takes.
pub(super) fn candidates(difference: &Difference<'_>, now: &Value) -> Vec<Value> {
    let mut found = match difference.subject {
        Subject::Pattern => texts(difference),
        Subject::EnumValue => difference.before.iter().cloned().collect(),
        Subject::Required => without(now, difference.name().unwrap_or_default()),
        Subject::MultipleOf => multiples(difference.before.as_ref()),
        Subject::Field => entries(now, difference.name().unwrap_or_default()),
        Subject::AdditionalProperties => entries(now, "key0"),
        Subject::EmbeddedResource => vec![json!({})],
        Subject::Not => difference.after.iter().flat_map(members).collect(),
        _ => Vec::new(),
    };
    found.push(now.clone());
    // If the old schema has a list of values, there are no others.
    let members = difference.place.old_node().and_then(|node| node.enumeration.as_deref()).unwrap_or_default();
    found.extend(members.iter().take(MOST_MEMBERS).cloned());
    if !matches!(difference.subject, Subject::Required | Subject::EnumValue) {
        found.extend(plain());
    }
    found
}

/// Texts that tell two patterns apart.
fn texts(difference: &Difference<'_>) -> Vec<Value> {
    let text = |value: &Option<Value>| value.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
    let (old, new) = (text(&difference.before), text(&difference.after));
    let node = difference.place.old_node();
    let length = |length: Option<i64>| length.and_then(|length| usize::try_from(length).ok());
    let least = length(node.and_then(|node| node.min_length)).unwrap_or(0);
    let most = length(node.and_then(|node| node.max_length));
    let mut found = Vec::new();
    if let Relation::Narrower { lost } | Relation::Neither { lost, .. } =
        pattern::compare_within(&old, &new, least, most)
    {
        found.push(json!(lost));
    }
    found.extend(pattern::counterexample(&new, least, most).map(Value::from));
    found.extend(pattern::example(&old, least, most).map(Value::from));
    found
}

fn without(now: &Value, name: &str) -> Vec<Value> {
    let mut now = now.clone();
    now.as_object_mut().map(|object| object.remove(name));
    vec![now]
}

fn multiples(step: Option<&Value>) -> Vec<Value> {
    match step.and_then(Value::as_i64) {
        Some(step) => (1..=MULTIPLES).map(|index| json!(step.saturating_mul(index))).collect(),
        None => match step.and_then(Value::as_f64) {
            Some(step) => (1..=MULTIPLES).map(|index| json!(step * index as f64)).collect(),
            None => vec![json!(1), json!(2), json!(0.5)],
        },
    }
}

/// The object with an entry of this name, of many kinds.
fn entries(now: &Value, name: &str) -> Vec<Value> {
    let object = now.as_object().cloned().unwrap_or_default();
    let with = |value| {
        let mut object = object.clone();
        object.insert(name.to_owned(), value);
        Value::Object(object)
    };
    plain().into_iter().map(with).collect()
}

/// What a schema that forbids lists itself.
fn members(not: &Value) -> Vec<Value> {
    not["enum"].as_array().cloned().unwrap_or_default()
}

/// Small values of every kind.
fn plain() -> Vec<Value> {
    vec![
        json!("a"),
        json!(1),
        json!({}),
        json!([]),
        json!(true),
        json!(0.5),
        json!(""),
        json!("1"),
        json!("A"),
        json!("a b"),
        json!("-"),
        json!(0),
        json!(-1),
        json!(2),
        json!(false),
        json!(["a"]),
        json!([1]),
        json!([{}]),
        json!({ "key0": "a" }),
        json!({ "key0": 1 }),
        json!({ "key0": {} }),
    ]
}
