//! Integers in another unit. Floating-point numbers and results that are not integers are not converted: they would be rounded.

use serde_json::{Number, Value};

fn integer(value: &Value) -> Result<i128, String> {
    let number = value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from));
    number.ok_or_else(|| "the value is not an integer".to_owned())
}

fn value(number: i128) -> Result<Value, String> {
    let number = i64::try_from(number).map(Number::from).or_else(|_| u64::try_from(number).map(Number::from));
    number.map(Value::Number).map_err(|_| "the result is larger than 64 bits".to_owned())
}

/// The product, if it is an integer.
pub(super) fn exact(old: &Value, multiply: u32, divide: u32) -> Result<Value, String> {
    let (product, divide) = (integer(old)? * i128::from(multiply), i128::from(divide));
    match product.checked_rem(divide) {
        Some(0) => value(product / divide),
        _ => Err(format!("{old} × {multiply} / {divide} is not an integer")),
    }
}

/// The largest old value of which [`exact`] gives an integer that is not larger, within 64 bits.
pub(super) fn nearest(new: &Value, multiply: u32, divide: u32) -> Result<Value, String> {
    // Old values are multiples of this.
    let step = i128::from(divide / greatest_common_divisor(multiply, divide).max(1)).max(1);
    let old = (integer(new)? * i128::from(divide)).div_euclid(i128::from(multiply.max(1)));
    let (least, most) = (i128::from(i64::MIN), i128::from(u64::MAX));
    let clamped = old.clamp(least, most);
    let multiple = clamped - clamped.rem_euclid(step);
    value(if multiple < least { multiple + step } else { multiple })
}

fn greatest_common_divisor(mut one: u32, mut other: u32) -> u32 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}
