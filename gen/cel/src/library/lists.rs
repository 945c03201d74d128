//! Functions of lists, sets and optional values.

use std::cmp::Ordering;

use super::number;
use crate::calendar::Timestamp;
use crate::cost::Cost;
use crate::failure::Failure;
use crate::functions::{Function, compiled, function, method};
use crate::shapes::{
    ANY, BOOLEAN, DYNAMIC, DYNAMICS, INTEGER, INTEGERS, LIST, OPTIONAL, ORDERED, ORDERED_LIST, SUMMABLE, Shape,
};
use crate::value::Compared;
use crate::value::{List, Map, Members, Outcome, Value};

const OPTIONALS: Shape = Shape::List(&OPTIONAL);

#[rustfmt::skip]
pub(super) const FUNCTIONS: &[Function] = &[
    method("distinct", &[&[LIST]], LIST, run!(Value::List(list) => distinct(list))).since(35).costs(Cost::SelfCompare(0)),
    method("first", &[&[LIST]], OPTIONAL, run!(Value::List(list) => Value::optional(list.get(0)))).since(33),
    method("flatten", &[&[Shape::List(&LIST)]], LIST, flatten).since(35).costs(Cost::Flatten),
    method("flatten", &[&[DYNAMICS, INTEGER]], DYNAMICS, flatten).since(35).costs(Cost::Flatten),
    method("hasValue", &[&[OPTIONAL]], BOOLEAN, run!(Value::Optional(content) => content.is_some())),
    method("includes", &[&[DYNAMIC, DYNAMIC]], BOOLEAN, includes).since(38).costs(Cost::Traversal),
    method("isSorted", &[&[ORDERED_LIST]], BOOLEAN, run!(Value::List(list) => is_sorted(list)?)).costs(Cost::Traversal),
    method("last", &[&[LIST]], OPTIONAL, run!(Value::List(list) => Value::optional(list.len().checked_sub(1).and_then(|at| list.get(at))))).since(33),
    function("lists.range", &[&[INTEGER]], INTEGERS, range).since(35).costs(Cost::NewList),
    method("max", &[&[ORDERED_LIST]], ORDERED, run!(Value::List(list) => extreme(list, "max", Ordering::Less)?)).costs(Cost::Traversal),
    method("min", &[&[ORDERED_LIST]], ORDERED, run!(Value::List(list) => extreme(list, "min", Ordering::Greater)?)).costs(Cost::Traversal),
    function("optional.none", &[&[]], OPTIONAL, |_, _| Ok(Value::Optional(None))),
    function("optional.of", &[&[ANY]], OPTIONAL, run!(value => Value::some(value.clone()))),
    function("optional.ofNonZeroValue", &[&[ANY]], OPTIONAL, run!(value => Value::optional((!is_zero(value)).then(|| value.clone())))),
    function("optional.unwrap", &[&[OPTIONALS]], LIST, run!(Value::List(list) => contents(list)?)).since(33),
    compiled("or", &[&[OPTIONAL, OPTIONAL]], OPTIONAL),
    compiled("orValue", &[&[OPTIONAL, ANY]], ANY),
    method("reverse", &[&[LIST]], LIST, run!(Value::List(list) => reversed(list))).since(35).costs(Cost::NewList),
    function("sets.contains", &[&[LIST, LIST]], BOOLEAN, run!(Value::List(one), Value::List(other) => is_within(other, one))).costs(Cost::Sets(1)),
    function("sets.equivalent", &[&[LIST, LIST]], BOOLEAN, run!(Value::List(one), Value::List(other) => {
        is_within(one, other) && is_within(other, one)
    })).costs(Cost::Sets(2)),
    function("sets.intersects", &[&[LIST, LIST]], BOOLEAN, run!(Value::List(one), Value::List(other) => intersects(one, other))).costs(Cost::Sets(1)),
    method("slice", &[&[LIST, INTEGER, INTEGER]], LIST, run!(Value::List(list), Value::Integer(start), Value::Integer(end) => {
        slice(list, *start, *end)?
    })).since(35).costs(Cost::NewList),
    method("sort", &[&[ORDERED_LIST]], ORDERED_LIST, run!(Value::List(list) => sorted_by(list, list)?)).since(35).costs(Cost::Sort(0)),
    method("sum", &[&[Shape::List(&SUMMABLE)]], SUMMABLE, sum).costs(Cost::Traversal),
    method("unwrapOpt", &[&[OPTIONALS]], LIST, run!(Value::List(list) => contents(list)?)).since(33),
    method("value", &[&[OPTIONAL]], ANY, run!(Value::Optional(content) => {
        content.as_deref().cloned().ok_or_else(|| Failure::new("optional.none() dereference"))?
    })),
];

/// The longest list that `lists.range` makes.
const LONGEST_RANGE: i64 = 1_000_000;

/// The longest list that this crate writes out: no budget stops a server before it.
const LONGEST_LIST: usize = 10_000_000;

fn position(at: Option<usize>) -> Value<'static> {
    Value::Integer(at.and_then(|at| i64::try_from(at).ok()).unwrap_or(-1))
}

pub(super) fn index_of<'v>(list: &List<'v>, wanted: &Value<'v>) -> Value<'v> {
    position(list.iter().position(|item| item.equals(wanted)))
}

pub(super) fn last_index_of<'v>(list: &List<'v>, wanted: &Value<'v>) -> Value<'v> {
    position((0..list.len()).rev().find(|at| list.get(*at).is_some_and(|item| item.equals(wanted))))
}

fn includes<'v>(arguments: &[Value<'v>], _: u32) -> Outcome<'v> {
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
    if other.compared(other) == Compared::WithoutOrder {
        return Err(Failure::no_overload());
    }
    Ok(one.compared(other).or_equal())
}

fn is_sorted(list: &List<'_>) -> Result<bool, Failure> {
    let mut before = None;
    for item in list.iter() {
        if order(before.as_ref().unwrap_or(&item), &item)? == Ordering::Greater {
            return Ok(false);
        }
        before = Some(item);
    }
    Ok(true)
}

fn extreme<'v>(list: &List<'v>, name: &str, replaced_by: Ordering) -> Outcome<'v> {
    let mut best: Option<Value<'v>> = None;
    for item in list.iter() {
        let order = order(best.as_ref().unwrap_or(&item), &item)?;
        best = Some(match best {
            Some(best) if order != replaced_by => best,
            _ => item,
        });
    }
    best.ok_or_else(|| Failure::new(format!("{name} called on empty list")))
}

/// The second argument is the zero of the type of the items, which the compiler adds.
fn sum<'v>(arguments: &[Value<'v>], _: u32) -> Outcome<'v> {
    let [Value::List(list), ..] = arguments else { return Err(Failure::no_overload()) };
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

fn distinct<'v>(list: &List<'v>) -> Value<'v> {
    let mut known = Members::default();
    Value::list(list.iter().filter(|item| known.add(item.clone())).collect())
}

fn reversed<'v>(list: &List<'v>) -> Value<'v> {
    let mut reversed: Vec<Value<'v>> = list.iter().collect();
    reversed.reverse();
    Value::list(reversed)
}

fn slice<'v>(list: &List<'v>, start: i64, end: i64) -> Outcome<'v> {
    let length = list.len();
    let refuse = |why: &str| Failure::new(format!("cannot slice({start}, {end}), {why}"));
    let (Ok(from), Ok(to)) = (usize::try_from(start), usize::try_from(end)) else {
        return Err(refuse("negative indexes not supported"));
    };
    if from > to {
        return Err(refuse("start index must be less than or equal to end index"));
    }
    if length < to {
        return Err(refuse(&format!("list is length {length}")));
    }
    Ok(Value::list((from..to).filter_map(|at| list.get(at)).collect()))
}

fn flatten<'v>(arguments: &[Value<'v>], _: u32) -> Outcome<'v> {
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
fn range<'v>(arguments: &[Value<'v>], minor: u32) -> Outcome<'v> {
    let [Value::Integer(size)] = arguments else { return Err(Failure::no_overload()) };
    match *size {
        size if size < 0 && minor < 37 => Ok(Value::list(Vec::new())),
        size if size < 0 => Err(Failure::new(format!("lists.range: size must be non-negative, got {size}"))),
        size if size > LONGEST_RANGE && minor < 37 => {
            Err(Failure::undecided("a server makes a list of this length before it counts the cost"))
        }
        size if size > LONGEST_RANGE => {
            Err(Failure::new(format!("lists.range: size {size} exceeds maximum allowed ({LONGEST_RANGE})")))
        }
        size => Ok(Value::list((0..size).map(Value::Integer).collect())),
    }
}

/// `sortBy`: the first argument in the order of the second one.
pub(crate) fn sort_by<'v>(arguments: &[Value<'v>], _: u32) -> Outcome<'v> {
    match arguments {
        [Value::List(list), Value::List(keys)] => sorted_by(list, keys),
        _ => Err(Failure::no_overload()),
    }
}

/// A list in the order of its keys.
fn sorted_by<'v>(list: &List<'v>, keys: &List<'v>) -> Outcome<'v> {
    let mut pairs: Vec<(Value<'v>, Value<'v>)> = keys.iter().zip(list.iter()).collect();
    if let Some((first, _)) = pairs.first() {
        if first.compared(first) == Compared::WithoutOrder {
            return Err(Failure::new("list elements must be comparable"));
        }
        let kind = first.type_name();
        if pairs.iter().any(|(key, _)| key.type_name() != kind) {
            return Err(Failure::new("list elements must have the same type"));
        }
    }
    pairs.sort_by(|(one, _), (other, _)| one.compared(other).or_equal());
    Ok(Value::list(pairs.into_iter().map(|(_, item)| item).collect()))
}

fn is_within<'v>(inner: &List<'v>, outer: &List<'v>) -> bool {
    let outer: Members = outer.iter().collect();
    inner.iter().all(|item| outer.contains(&item))
}

fn intersects<'v>(one: &List<'v>, other: &List<'v>) -> bool {
    let other: Members = other.iter().collect();
    one.iter().any(|item| other.contains(&item))
}

fn is_zero(value: &Value<'_>) -> bool {
    match value {
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
    }
}

/// The contents of the optional values in a list.
fn contents<'v>(list: &List<'v>) -> Outcome<'v> {
    let mut contents = Vec::new();
    for item in list.iter() {
        match item {
            Value::Optional(content) => contents.extend(content.map(|content| Value::clone(&content))),
            other => {
                return Err(Failure::new(format!("value {} is not optional", crate::value::shown::shown(&other))));
            }
        }
    }
    Ok(Value::list(contents))
}
