//! Functions of lists, sets and optional values.

use std::cmp::Ordering;
use std::sync::Arc;

use super::number;
use crate::calendar::Timestamp;
use crate::failure::Failure;
use crate::value::{List, Map, Members, Outcome, Value};

/// The longest list that `lists.range` makes.
const LONGEST_RANGE: i64 = 1_000_000;

/// The longest list that this crate writes out: no budget stops a server before it.
const LONGEST_LIST: usize = 10_000_000;

fn items<'a, 'v>(arguments: &'a [Value<'v>]) -> Result<&'a List<'v>, Failure> {
    match arguments {
        [Value::List(items), ..] => Ok(items),
        _ => Err(Failure::no_overload()),
    }
}

fn position(at: Option<usize>) -> Value<'static> {
    Value::Integer(at.and_then(|at| i64::try_from(at).ok()).unwrap_or(-1))
}

pub(super) fn index_of<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::List(items), wanted] = arguments else { return Err(Failure::no_overload()) };
    Ok(position(items.iter().position(|item| item.equals(wanted))))
}

pub(super) fn last_index_of<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::List(items), wanted] = arguments else { return Err(Failure::no_overload()) };
    let found = (0..items.len()).rev().find(|at| items.get(*at).is_some_and(|item| item.equals(wanted)));
    Ok(position(found))
}

pub(super) fn includes<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    Ok(Value::Boolean(match arguments {
        [Value::List(items), wanted] => items.iter().any(|item| item.equals(wanted)),
        [value, wanted] => value.equals(wanted),
        _ => return Err(Failure::no_overload()),
    }))
}

/// `left in right`
pub(crate) fn contains<'v>(wanted: &Value<'v>, container: &Value<'v>, minor: u32) -> Outcome<'v> {
    Ok(Value::Boolean(match container {
        // Items that are read with a schema are compared with the wanted value. The wanted value is compared with other items.
        Value::List(items) => {
            let mut failure = None;
            for part in items.parts() {
                for item in part.iter() {
                    let outcome =
                        if part.is_read() { item.is_equal(wanted, minor) } else { wanted.is_equal(&item, minor) };
                    match outcome {
                        Ok(true) => return Ok(Value::Boolean(true)),
                        Err(found) if part.is_read() || !found.is_ordinary() => failure = failure.or(Some(found)),
                        _ => {}
                    }
                }
            }
            return failure.map_or(Ok(Value::Boolean(false)), Err);
        }
        Value::Map(map) => map.find(wanted)?.is_some(),
        _ => return Err(Failure::no_overload()),
    }))
}

/// The order of two items: those of different types are equal, as in cel-go, where neither is less.
fn order(one: &Value<'_>, other: &Value<'_>) -> Result<Ordering, Failure> {
    if other.compared(other).is_none() {
        return Err(Failure::no_overload());
    }
    Ok(one.compared(other).flatten().unwrap_or(Ordering::Equal))
}

pub(super) fn is_sorted<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let mut before: Option<Value<'v>> = None;
    for item in items(arguments)?.iter() {
        if order(before.as_ref().unwrap_or(&item), &item)? == Ordering::Greater {
            return Ok(Value::Boolean(false));
        }
        before = Some(item);
    }
    Ok(Value::Boolean(true))
}

fn extreme<'v>(arguments: &[Value<'v>], name: &str, replaced_by: Ordering) -> Outcome<'v> {
    let mut best: Option<Value<'v>> = None;
    for item in items(arguments)?.iter() {
        let order = order(best.as_ref().unwrap_or(&item), &item)?;
        best = Some(match best {
            Some(best) if order != replaced_by => best,
            _ => item,
        });
    }
    best.ok_or_else(|| Failure::new(format!("{name} called on empty list")))
}

pub(super) fn min<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    extreme(arguments, "min", Ordering::Greater)
}

pub(super) fn max<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    extreme(arguments, "max", Ordering::Less)
}

/// The second argument is the zero of the type of the items, which the compiler adds.
pub(super) fn sum<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let list = items(arguments)?;
    let mut sum: Option<Value<'v>> = None;
    for item in list.iter() {
        sum = Some(match sum {
            Some(sum) => number::sum(&sum, &item)?,
            None if matches!(item, Value::Integer(_) | Value::Unsigned(_) | Value::Double(_) | Value::Duration(_)) => {
                item
            }
            None => return Err(Failure::no_overload()),
        });
    }
    Ok(sum.or_else(|| arguments.get(1).cloned()).unwrap_or(Value::Integer(0)))
}

pub(super) fn distinct<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let mut known = Members::default();
    Ok(Value::list(items(arguments)?.iter().filter(|item| known.add(item.clone())).collect()))
}

pub(super) fn reverse<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let mut reversed: Vec<Value<'v>> = items(arguments)?.iter().collect();
    reversed.reverse();
    Ok(Value::list(reversed))
}

pub(super) fn slice<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::List(items), Value::Integer(start), Value::Integer(end)] = arguments else {
        return Err(Failure::no_overload());
    };
    let length = items.len();
    let refuse = |why: &str| Failure::new(format!("cannot slice({start}, {end}), {why}"));
    let (Ok(from), Ok(to)) = (usize::try_from(*start), usize::try_from(*end)) else {
        return Err(refuse("negative indexes not supported"));
    };
    if from > to {
        return Err(refuse("start index must be less than or equal to end index"));
    }
    if length < to {
        return Err(refuse(&format!("list is length {length}")));
    }
    Ok(Value::list((from..to).filter_map(|at| items.get(at)).collect()))
}

pub(super) fn flatten<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let (list, depth) = match arguments {
        [Value::List(items)] => (items, 1),
        [Value::List(items), Value::Integer(depth)] => (items, *depth),
        _ => return Err(Failure::no_overload()),
    };
    if depth < 0 {
        return Err(Failure::new("level must be non-negative"));
    }
    let mut flat: Vec<Value<'v>> = list.iter().collect();
    for _ in 0..depth {
        if !flat.iter().any(|item| matches!(item, Value::List(_))) {
            break;
        }
        let mut next = Vec::with_capacity(flat.len());
        for item in flat {
            match item {
                Value::List(items) if next.len().saturating_add(items.len()) > LONGEST_LIST => {
                    return Err(Failure::undecided(format!("the list has more than {LONGEST_LIST} items")));
                }
                Value::List(items) => next.extend(items.iter()),
                other => next.push(other),
            }
        }
        flat = next;
    }
    Ok(Value::list(flat))
}

/// Servers before 1.37 do not have limits.
pub(super) fn range_before_37<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [Value::Integer(size)] if *size < 0 => Ok(Value::list(Vec::new())),
        [Value::Integer(size)] if *size > LONGEST_RANGE => {
            Err(Failure::undecided("a server makes a list of this length before it counts the cost"))
        }
        arguments => range(arguments),
    }
}

pub(super) fn range<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Integer(size)] = arguments else { return Err(Failure::no_overload()) };
    match *size {
        size if size < 0 => Err(Failure::new(format!("lists.range: size must be non-negative, got {size}"))),
        size if size > LONGEST_RANGE => {
            Err(Failure::new(format!("lists.range: size {size} exceeds maximum allowed ({LONGEST_RANGE})")))
        }
        size => Ok(Value::list((0..size).map(Value::Integer).collect())),
    }
}

pub(super) fn first<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    Ok(Value::Optional(items(arguments)?.get(0).map(Arc::new)))
}

pub(super) fn last<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let list = items(arguments)?;
    Ok(Value::Optional(list.len().checked_sub(1).and_then(|at| list.get(at)).map(Arc::new)))
}

pub(super) fn sort<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [Value::List(list)] => sort_by(&[Value::List(list.clone()), Value::List(list.clone())]),
        _ => Err(Failure::no_overload()),
    }
}

/// A list in the order of its keys, which are the second argument.
pub(super) fn sort_by<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::List(list), Value::List(keys)] = arguments else { return Err(Failure::no_overload()) };
    let mut pairs: Vec<(Value<'v>, Value<'v>)> = keys.iter().zip(list.iter()).collect();
    if let Some((first, _)) = pairs.first() {
        if first.compared(first).is_none() {
            return Err(Failure::new("list elements must be comparable"));
        }
        let kind = first.type_name();
        if pairs.iter().any(|(key, _)| key.type_name() != kind) {
            return Err(Failure::new("list elements must have the same type"));
        }
    }
    pairs.sort_by(|(one, _), (other, _)| one.compared(other).flatten().unwrap_or(Ordering::Equal));
    Ok(Value::list(pairs.into_iter().map(|(_, item)| item).collect()))
}

fn sets<'a, 'v>(arguments: &'a [Value<'v>]) -> Result<(&'a List<'v>, &'a List<'v>), Failure> {
    match arguments {
        [Value::List(one), Value::List(other)] => Ok((one, other)),
        _ => Err(Failure::no_overload()),
    }
}

fn is_within<'v>(inner: &List<'v>, outer: &List<'v>) -> bool {
    let outer: Members = outer.iter().collect();
    inner.iter().all(|item| outer.contains(&item))
}

pub(super) fn sets_contains<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let (one, other) = sets(arguments)?;
    Ok(Value::Boolean(is_within(other, one)))
}

pub(super) fn sets_equivalent<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let (one, other) = sets(arguments)?;
    Ok(Value::Boolean(is_within(one, other) && is_within(other, one)))
}

pub(super) fn sets_intersects<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let (one, other) = sets(arguments)?;
    let other: Members = other.iter().collect();
    Ok(Value::Boolean(one.iter().any(|item| other.contains(&item))))
}

pub(super) fn optional_of<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [value] = arguments else { return Err(Failure::no_overload()) };
    Ok(Value::some(value.clone()))
}

pub(super) fn optional_none<'v>(_: &[Value<'v>]) -> Outcome<'v> {
    Ok(Value::Optional(None))
}

pub(super) fn optional_of_non_zero<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [value] = arguments else { return Err(Failure::no_overload()) };
    let is_zero = match value {
        Value::Null => true,
        Value::Boolean(value) => !value,
        Value::Integer(value) => *value == 0,
        Value::Unsigned(value) => *value == 0,
        Value::Double(value) => *value == 0.0,
        Value::Text(text) => text.is_empty(),
        Value::Bytes(bytes) => bytes.is_empty(),
        Value::Duration(duration) => duration.0 == 0,
        Value::Timestamp(time) => *time == Timestamp::ZERO,
        // Lists and maps of the object, and optional values, are never zero.
        Value::List(List::Shared(items)) => items.is_empty(),
        Value::Map(entries @ Map::Shared(_)) => entries.is_empty(),
        _ => false,
    };
    Ok(if is_zero { Value::Optional(None) } else { Value::some(value.clone()) })
}

pub(super) fn unwrap<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let mut contents = Vec::new();
    for item in items(arguments)?.iter() {
        match item {
            Value::Optional(content) => contents.extend(content.map(|content| Value::clone(&content))),
            other => {
                return Err(Failure::new(format!("value {} is not optional", super::format_text::shown(&other))));
            }
        }
    }
    Ok(Value::list(contents))
}

pub(super) fn has_value<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Optional(content)] = arguments else { return Err(Failure::no_overload()) };
    Ok(Value::Boolean(content.is_some()))
}

pub(super) fn value<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Optional(content)] = arguments else { return Err(Failure::no_overload()) };
    content.as_deref().cloned().ok_or_else(|| Failure::new("optional.none() dereference"))
}
