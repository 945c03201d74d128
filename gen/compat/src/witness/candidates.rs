//! Values that a change is likely to refuse. The search validates each of them.
//!
//! Invariants: the likeliest and smallest come first. There are few, and they are always the same.

use crd_inclusion::{Bound, Difference, Edit, Position};
use crd_model::Schema;
use crd_regexp::inclusion::{EVERYTHING, NOTHING, Relation};
use serde_json::{Number, Value, json};

use super::constants::Constants;
use super::smallest::smallest;

/// How many multiples of an old step are tried.
const MULTIPLES: i64 = 24;

/// The longest text that is tried, and the longest one that a pattern is asked for.
const LONGEST: usize = 100_000;
const LONGEST_MATCHING: usize = 5_000;

/// How many items a list gets.
const MOST_ITEMS: usize = 10_000;

/// How many values of a list are tried.
const MOST_MEMBERS: usize = 256;

/// The values to try. `now` is a value that the old schema accepts.
pub(super) fn candidates(difference: &Difference<'_>, position: &Position<'_>, now: &Value) -> Vec<Value> {
    let mut found = match difference {
        Difference::Pattern(edit) => texts(edit, position),
        Difference::MaxLength(edit) => {
            edit.after().map_or_else(Vec::new, |most| of_length(position, most.saturating_add(1)))
        }
        Difference::MaxItems(edit) => longer(position, edit.after().copied()),
        Difference::ListType(_) | Difference::ListMapKeys(_) => {
            let twice = now.get(0).map(|item| json!([item, item]));
            twice.into_iter().chain(longer(position, Some(1))).collect()
        }
        Difference::Maximum(edit) => beyond(edit.after(), 1),
        Difference::Minimum(edit) => beyond(edit.after(), -1),
        Difference::MinLength(edit) => {
            edit.after().map_or_else(Vec::new, |least| of_length(position, least.saturating_sub(1)))
        }
        Difference::EnumValue(value) => value.before().into_iter().cloned().collect(),
        Difference::Required(name) => without(now, name.value()),
        Difference::MultipleOf(edit) => multiples(edit.before()),
        Difference::Field(field) => entries(now, field.value().name),
        Difference::AdditionalProperties(_) => entries(now, "key0"),
        Difference::EmbeddedResource(_) => vec![json!({})],
        Difference::Nullable(_) => vec![Value::Null],
        Difference::Not(edit) => edit.after().and_then(|not| not.enumeration.clone()).unwrap_or_default(),
        _ => Vec::new(),
    };
    found.push(now.clone());
    // An old schema with an `enum` accepts no other values.
    let members = position.old_node().and_then(|node| node.enumeration.as_deref()).unwrap_or_default();
    found.extend(members.iter().take(MOST_MEMBERS).cloned());
    // And rules around it may accept no other ones.
    if now.is_string() {
        let rules = position.old_nodes.iter().flat_map(|node| &node.validations).map(|rule| &*rule.rule);
        let constants = Constants::in_texts(&rules.collect::<Vec<_>>());
        found.extend(constants.texts().take(MOST_MEMBERS).map(Value::from));
    }
    if !matches!(difference, Difference::Required(_) | Difference::EnumValue(_)) {
        found.extend(plain());
    }
    found
}

/// Texts that distinguish two patterns.
fn texts(edit: &Edit<&str>, position: &Position<'_>) -> Vec<Value> {
    let text = |pattern: Option<&&str>| pattern.copied().unwrap_or_default().to_owned();
    let (old, new) = (text(edit.before()), text(edit.after()));
    let node = position.old_node();
    let length = |of: fn(&Schema) -> Option<i64>| node.and_then(of).and_then(|length| usize::try_from(length).ok());
    let least = length(|node| node.min_length).unwrap_or(0);
    let most = length(|node| node.max_length);
    let lost = |old: &str, new: &str| lost(position, old, new, least, most);
    [lost(&old, &new), lost(EVERYTHING, &new), lost(&old, NOTHING)].into_iter().flatten().map(Value::from).collect()
}

/// A text of so many characters that only the old pattern accepts.
fn lost(position: &Position<'_>, old: &str, new: &str, least: usize, most: Option<usize>) -> Option<String> {
    match position.compared(old, new, least, most) {
        Relation::Narrower { lost } | Relation::Neither { lost, .. } => Some(lost),
        _ => None,
    }
}

/// Texts of so many characters that the pattern of one side accepts: the other keywords of the node may be new too.
fn of_length(position: &Position<'_>, length: i64) -> Vec<Value> {
    let Some(length) = usize::try_from(length).ok().filter(|length| *length <= LONGEST) else { return Vec::new() };
    let patterns = [position.new_node(), position.old_node()].into_iter().flatten();
    let patterns = patterns.filter_map(|node| node.pattern.as_deref()).filter(|_| length <= LONGEST_MATCHING);
    let matching = patterns.filter_map(|pattern| lost(position, pattern, NOTHING, length, Some(length)));
    matching.chain(["a".repeat(length)]).map(Value::from).collect()
}

/// A list of equal items that is one item too long.
fn longer(position: &Position<'_>, most: Option<i64>) -> Vec<Value> {
    let count = most.and_then(|most| usize::try_from(most).ok()).filter(|most| *most < MOST_ITEMS).map(|most| most + 1);
    let item = position.new_node().and_then(|list| smallest(list.items.as_deref()?).into_iter().next());
    count.zip(item).map(|(count, item)| Value::Array(vec![item; count])).into_iter().collect()
}

/// The bound, and the next integer in this direction.
fn beyond(bound: Option<&Bound>, step: i64) -> Vec<Value> {
    let next = bound.and_then(|bound| bound.limit.as_i64()).map(|value| json!(value.saturating_add(step)));
    next.into_iter().chain(bound.map(|bound| Value::Number(bound.limit.clone()))).collect()
}

fn without(now: &Value, name: &str) -> Vec<Value> {
    let mut now = now.clone();
    now.as_object_mut().map(|object| object.remove(name));
    vec![now]
}

fn multiples(step: Option<&Number>) -> Vec<Value> {
    match step.and_then(Number::as_i64) {
        Some(step) => (1..=MULTIPLES).map(|index| json!(step.saturating_mul(index))).collect(),
        None => match step.and_then(Number::as_f64) {
            Some(step) => (1..=MULTIPLES).map(|index| json!(step * index as f64)).collect(),
            None => vec![json!(1), json!(2), json!(0.5)],
        },
    }
}

/// The object with an entry of this name, with values of many types.
pub(super) fn entries(now: &Value, name: &str) -> Vec<Value> {
    let object = now.as_object().cloned().unwrap_or_default();
    let with = |value| {
        let mut object = object.clone();
        object.insert(name.to_owned(), value);
        Value::Object(object)
    };
    plain().into_iter().map(with).collect()
}

/// Small values of every type.
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
