//! Values for a rule: each field that it reads, with each value that it may distinguish.
//!
//! A rule about `l.protocol` and `l.tls` refuses a combination of both. The values of the fields that a rule names are combined, and the other
//! fields are left out unless the schema demands them.
//!
//! Invariants: the number of values is limited, and they are always the same. Where there are more combinations, the values are spread over them.

use crd_model::Schema;
use serde_json::{Map, Value, json};

use super::constants::Constants;
use super::smallest::smallest;

/// How many values a node gets, and how many of a field are combined with the other fields.
const MOST: usize = 96;
const MOST_OF_FIELD: usize = 12;
/// How many values the node of the rule gets.
const MOST_IN_ALL: usize = 400;
/// How far apart two values are that become the items of one list.
const DISTANCES: [usize; 5] = [1, 2, 3, 5, 8];
/// How many constants a text is set to.
const MOST_TEXTS: usize = 8;
/// How long a text is made.
const LONGEST: usize = 300;
/// How deep below the rule.
const DEEPEST: usize = 6;
/// Distributes the values over the combinations.
const STRIDE: usize = 7_919;

/// The values of a node, which may be the whole object.
pub(super) fn values(node: &Schema, constants: &Constants, is_whole: bool) -> Vec<Value> {
    let is_part = !is_whole && node.kind.as_deref() == Some("object");
    at(node, "self", constants, usize::from(is_part))
}

/// The values of a field of this name.
pub(super) fn of_field(node: &Schema, name: &str, constants: &Constants) -> Vec<Value> {
    at(node, name, constants, 1)
}

fn at(node: &Schema, name: &str, constants: &Constants, depth: usize) -> Vec<Value> {
    let small = || smallest(node);
    if depth > DEEPEST {
        return small();
    }
    let mut found = match node.kind.as_deref() {
        Some("object") if node.values().is_some() => maps(node, name, constants, depth),
        Some("object") => objects(node, constants, depth),
        Some("array") => lists(node, name, constants, depth),
        Some("string") => texts(node, name, constants),
        Some("integer" | "number") => constants.integers().take(MOST_TEXTS).map(Value::from).chain(small()).collect(),
        Some("boolean") => vec![json!(true), json!(false)],
        _ => small(),
    };
    found.truncate(if depth == 0 { MOST_IN_ALL } else { MOST });
    found
}

/// Small maps, and those with the keys that rules read.
fn maps(node: &Schema, name: &str, constants: &Constants, depth: usize) -> Vec<Value> {
    let mut found = smallest(node);
    let values = node.values().map(|values| at(values, name, constants, depth + 1)).unwrap_or_default();
    let keys = constants.keys_of(name).take(MOST_TEXTS);
    found.extend(keys.flat_map(|key| values.iter().take(2).map(move |value| json!({ key: value }))));
    found
}

fn texts(node: &Schema, name: &str, constants: &Constants) -> Vec<Value> {
    match &node.enumeration {
        Some(listed) => {
            let named = constants.texts_for(name, usize::MAX).map(Value::from);
            let mut values: Vec<Value> = named.filter(|text| listed.contains(text)).take(MOST_TEXTS).collect();
            let others = listed.iter().filter(|member| !values.contains(member)).take(2).cloned().collect::<Vec<_>>();
            values.extend(others);
            values
        }
        None => {
            let longest = node.max_length.and_then(|most| usize::try_from(most).ok()).unwrap_or(LONGEST).min(LONGEST);
            // Two texts together may be too long.
            let sizes = constants.sizes(2 * longest).flat_map(|size| [size, size / 2, size - size / 2]);
            let mut long: Vec<Value> = Vec::new();
            for text in sizes.filter(|size| *size <= longest).map(|size| json!("a".repeat(size))) {
                if !long.contains(&text) && long.len() < MOST_OF_FIELD / 2 {
                    long.push(text);
                }
            }
            let named = constants.texts_for(name, MOST_TEXTS).map(Value::from);
            smallest(node).into_iter().take(1).chain(named).chain(long).collect()
        }
    }
}

fn lists(node: &Schema, name: &str, constants: &Constants, depth: usize) -> Vec<Value> {
    let Some(items) = node.items.as_deref() else { return smallest(node) };
    let values = at(items, name, constants, depth + 1);
    let mut found = vec![json!([])];
    for value in &values {
        found.push(json!([value]));
        let second = value.as_object().and_then(|item| with_another_key(node, item)).unwrap_or_else(|| value.clone());
        found.push(json!([value, second]));
    }
    for distance in DISTANCES {
        found.extend(values.iter().zip(values.iter().skip(distance)).map(|(one, other)| json!([one, other])));
    }
    found
}

/// An object with each combination of the fields that are read.
fn objects(node: &Schema, constants: &Constants, depth: usize) -> Vec<Value> {
    let base = smallest(node).into_iter().find_map(|value| value.as_object().cloned()).unwrap_or_default();
    let read = node.properties.iter().filter(|(name, _)| constants.reads(name));
    // The identity of the whole object stays.
    let read = read.filter(|(name, _)| depth > 0 || !["apiVersion", "kind", "metadata"].contains(&&***name));
    let fields: Vec<(&str, Vec<Option<Value>>)> = read
        .map(|(name, child)| {
            let mut values: Vec<_> =
                at(child, name, constants, depth + 1).into_iter().take(MOST_OF_FIELD).map(Some).collect();
            if !node.required.iter().any(|required| required == name) {
                values.insert(values.len().min(1), None);
            }
            (&**name, values)
        })
        .filter(|(_, values)| !values.is_empty())
        .collect();
    let count = fields.iter().fold(1_usize, |count, (_, values)| count.saturating_mul(values.len()));
    let chosen = |index: usize| if count <= MOST { index } else { index.wrapping_mul(STRIDE) % count };
    let combined = |mut index: usize| {
        let mut object: Map<String, Value> = base.clone();
        for (name, values) in &fields {
            match &values[index % values.len()] {
                Some(value) => drop(object.insert((*name).to_owned(), value.clone())),
                None => drop(object.remove(*name)),
            }
            index /= values.len();
        }
        Value::Object(object)
    };
    (0..count.min(MOST)).map(|index| combined(chosen(index))).collect()
}

/// The item under another key, in a list that is a map.
pub(super) fn with_another_key(list: &Schema, item: &Map<String, Value>) -> Option<Value> {
    let key = list.list_map_keys.iter().find(|key| item.get(&***key).is_some_and(Value::is_string))?;
    let mut other = item.clone();
    let text = other.get_mut(&**key)?;
    *text = json!(format!("{}a", text.as_str()?));
    Some(Value::Object(other))
}
