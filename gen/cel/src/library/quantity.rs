//! `quantity` and its methods.

use std::cmp::Ordering;

use crate::failure::Failure;
use crate::quantity::{Quantity, parsed};
use crate::value::{Outcome, Value};

pub(super) fn quantity<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Text(text)] = arguments else { return Err(Failure::no_overload()) };
    parsed(text).map(Value::Quantity)
}

pub(super) fn is_quantity<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Text(text)] = arguments else { return Err(Failure::no_overload()) };
    Ok(Value::Boolean(parsed(text).is_ok()))
}

fn sum<'v>(arguments: &[Value<'v>], sign: i128) -> Outcome<'v> {
    let (quantity, other) = match arguments {
        [Value::Quantity(quantity), Value::Quantity(other)] => (quantity, *other),
        [Value::Quantity(quantity), Value::Integer(other)] => (quantity, Quantity::of_integer(*other)),
        _ => return Err(Failure::no_overload()),
    };
    quantity.plus(other, sign).map(Value::Quantity)
}

pub(super) fn add<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    sum(arguments, 1)
}

pub(super) fn sub<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    sum(arguments, -1)
}

pub(super) fn as_integer<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Quantity(quantity)] = arguments else { return Err(Failure::no_overload()) };
    quantity.whole().map(Value::Integer).ok_or_else(|| Failure::new("cannot convert value to integer"))
}

pub(super) fn is_integer<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Quantity(quantity)] = arguments else { return Err(Failure::no_overload()) };
    Ok(Value::Boolean(quantity.whole().is_some()))
}

pub(super) fn as_approximate_float<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Quantity(quantity)] = arguments else { return Err(Failure::no_overload()) };
    Ok(Value::Double(quantity.approximate()))
}

pub(super) fn sign<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Quantity(quantity)] = arguments else { return Err(Failure::no_overload()) };
    Ok(Value::Integer(match quantity.digits.cmp(&0) {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }))
}
