//! `$repeat: [VALUE, N]`: a long text, list or map in a few characters.
//!
//! Invariants: a text is repeated N times; a list has its items N times; a map has its entries N times. `%` in texts and keys of lists and maps is
//! the number of the repetition, from 0, and `$index: N` is N more. A value is bounded, so that a small file stays small.

use serde_json::{Map, Value, json};

/// The key.
const REPEAT: &str = "$repeat";
/// The key of a number that grows with the repetitions.
const INDEX: &str = "$index";
/// Characters of a value: more than any server reads.
const LONGEST: usize = 4 << 20;
/// Texts and lists that are shorter are written as they are, and lists and maps with fewer parts.
const LONG: usize = 60;
const MANY: usize = 5;

/// A value with its repetitions written out.
///
/// # Errors
/// A `$repeat` that is not a value and a number, or a value that is too long.
pub fn expanded(value: &Value) -> Result<Value, String> {
    Ok(match value {
        Value::Object(map) => match map.get(REPEAT) {
            Some(repeat) if map.len() == 1 => repeated(repeat)?,
            Some(_) => return Err(format!("a map with `{REPEAT}` has no other key")),
            None => {
                let entries = map.iter().map(|(key, value)| Ok((key.clone(), expanded(value)?)));
                Value::Object(entries.collect::<Result<_, String>>()?)
            }
        },
        Value::Array(items) => Value::Array(items.iter().map(expanded).collect::<Result<_, _>>()?),
        value => value.clone(),
    })
}

fn repeated(repeat: &Value) -> Result<Value, String> {
    let malformed = || format!("`{REPEAT}` needs a string, list or map, and a number, such as `{REPEAT}: [a, 64]`");
    let [value, number] = &**repeat.as_array().ok_or_else(malformed)? else { return Err(malformed()) };
    let number = number.as_u64().and_then(|number| usize::try_from(number).ok()).ok_or_else(malformed)?;
    let value = expanded(value)?;
    if value.to_string().len().saturating_mul(number) > LONGEST {
        return Err(format!("a value of `{REPEAT}` has at most {LONGEST} characters"));
    }
    match value {
        Value::String(text) => Ok(Value::String(text.repeat(number))),
        Value::Array(items) => {
            Ok((0..number).flat_map(|index| items.iter().map(move |item| numbered(item, index))).collect())
        }
        Value::Object(map) => {
            let entries = (0..number).map(|index| numbered(&Value::Object(map.clone()), index));
            Ok(Value::Object(entries.filter_map(|entries| entries.as_object().cloned()).flatten().collect()))
        }
        _ => Err(malformed()),
    }
}

/// The value with the number of its repetition.
fn numbered(value: &Value, index: usize) -> Value {
    let of_text = |text: &str| text.replace('%', &index.to_string());
    match value {
        Value::String(text) => Value::String(of_text(text)),
        Value::Array(items) => items.iter().map(|item| numbered(item, index)).collect(),
        Value::Object(map) => match map.get(INDEX).and_then(Value::as_i64).zip(i64::try_from(index).ok()) {
            Some((first, index)) => json!(first.saturating_add(index)),
            None => map.iter().map(|(key, value)| (of_text(key), numbered(value, index))).collect(),
        },
        value => value.clone(),
    }
}

/// A list of as many items that differ like the second and third of these; none for a short list.
pub(crate) fn regular(items: &[Value]) -> Option<Value> {
    let [_, second, third, _, ..] = items else { return None };
    let item = with_sign(second, Some(third));
    Some((0..items.len()).map(|index| numbered(&item, index)).collect())
}

/// The value with its repetitions in short, where that is shorter: [`expanded`] gives the value again.
#[must_use]
pub fn shortened(value: &Value) -> Value {
    let short = match value {
        Value::String(text) if text.len() > LONG => repetition(text),
        Value::Array(items) if items.len() > 2 && value.to_string().len() > LONG || items.len() > MANY => list(items),
        Value::Object(map) if map.len() > MANY => entries(map),
        _ => None,
    };
    match (short, value) {
        (Some(short), _) if expanded(&short).as_ref() == Ok(value) => short,
        (_, Value::Array(items)) => items.iter().map(shortened).collect(),
        (_, Value::Object(map)) => {
            map.iter().map(|(key, value)| (key.clone(), shortened(value))).collect::<Map<_, _>>().into()
        }
        (_, value) => value.clone(),
    }
}

/// A text that is a short one several times.
fn repetition(text: &str) -> Option<Value> {
    let boundaries = text.char_indices().map(|(at, _)| at).filter(|at| (1..=LONG / 2).contains(at));
    let mut parts = boundaries.filter(|at| text.len().is_multiple_of(*at)).map(|at| (&text[..at], text.len() / at));
    let (part, number) = parts.find(|(part, number)| part.repeat(*number) == text)?;
    Some(json!({ REPEAT: [part, number] }))
}

/// A list whose items differ in their number only.
fn list(items: &[Value]) -> Option<Value> {
    let first = items.first()?;
    let candidates = [first.clone(), with_sign(first, items.get(1))];
    candidates.into_iter().find_map(|item| {
        let is_same = |(index, own): (usize, &Value)| numbered(&item, index) == *own;
        items.iter().enumerate().all(is_same).then(|| json!({ REPEAT: [[shortened(&item)], items.len()] }))
    })
}

/// A map whose keys differ in their number only.
fn entries(map: &Map<String, Value>) -> Option<Value> {
    let (key, value) = map.iter().next()?;
    let (before, after) = key.rsplit_once('0')?;
    Some(json!({ REPEAT: [{ format!("{before}%{after}"): shortened(value) }, map.len()] }))
}

/// The value with a sign for what differs in the next one: `%` for the last `0` of a text, and the number as the first one.
fn with_sign(value: &Value, next: Option<&Value>) -> Value {
    match value {
        value if Some(value) == next => value.clone(),
        Value::String(text) => match text.rsplit_once('0') {
            Some((before, after)) => Value::String(format!("{before}%{after}")),
            None => value.clone(),
        },
        Value::Number(_) => json!({ INDEX: value }),
        Value::Array(items) => {
            let next = |index| next.and_then(|next: &Value| next.get(index));
            items.iter().enumerate().map(|(index, item)| with_sign(item, next(index))).collect()
        }
        Value::Object(map) => {
            let next = |key| next.and_then(|next: &Value| next.get(key));
            map.iter().map(|(key, value)| (key.clone(), with_sign(value, next(key)))).collect::<Map<_, _>>().into()
        }
        value => value.clone(),
    }
}
