//! Operators and conversions of numbers, booleans and types, with the overflow checks of CEL.

use std::sync::Arc;

use crate::calendar::{Duration, Timestamp};
use crate::cost::Cost;
use crate::failure::Failure;
use crate::functions::{Function, function};
use crate::shapes::{
    ADDRESS, ANY, BOOLEAN, BYTES, DOUBLE, DURATION, DYNAMIC, INTEGER, NETWORK, Scalar, Shape, TEXT, TIMESTAMP, UNSIGNED,
};
use crate::value::shown::shown;
use crate::value::{Outcome, Value};

const TO_TEXT: &[&[Shape]] = &[
    &[TEXT],
    &[BOOLEAN],
    &[BYTES],
    &[DOUBLE],
    &[DURATION],
    &[INTEGER],
    &[TIMESTAMP],
    &[UNSIGNED],
    &[ADDRESS],
    &[NETWORK],
];
const TO_INTEGER: &[&[Shape]] = &[&[INTEGER], &[DOUBLE], &[DURATION], &[TEXT], &[TIMESTAMP], &[UNSIGNED]];

#[rustfmt::skip]
pub(super) const FUNCTIONS: &[Function] = &[
    function("bool", &[&[BOOLEAN], &[TEXT]], BOOLEAN, run!(value => to_boolean(value)?)),
    function("bytes", &[&[BYTES], &[TEXT]], BYTES, run!(value => to_bytes(value)?)).costs(Cost::ScanOf(Scalar::Text)),
    function("double", &[&[DOUBLE], &[INTEGER], &[TEXT], &[UNSIGNED]], DOUBLE, run!(value => Value::Double(to_double(value)?))),
    function("duration", &[&[DURATION]], DURATION, run!(value => Value::Duration(to_duration(value)?))),
    function("duration", &[&[INTEGER]], DURATION, run!(value => Value::Duration(to_duration(value)?))).until(37),
    function("duration", &[&[TEXT]], DURATION, run!(value => Value::Duration(to_duration(value)?))),
    function("dyn", &[&[ANY]], DYNAMIC, run!(value => value.clone())),
    function("int", TO_INTEGER, INTEGER, run!(value => to_integer(value)?)),
    function("string", TO_TEXT, TEXT, run!(value => to_text(value)?)).costs(Cost::ScanOf(Scalar::Bytes)),
    function("timestamp", &[&[TIMESTAMP], &[INTEGER], &[TEXT]], TIMESTAMP, run!(value => Value::Timestamp(to_timestamp(value)?))),
    function("type", &[&[ANY]], DYNAMIC, run!(value => Value::Type(value.type_name()))),
    function("uint", &[&[UNSIGNED], &[DOUBLE], &[INTEGER], &[TEXT]], UNSIGNED, run!(value => Value::Unsigned(to_unsigned(value)?))),
];

fn overflow() -> Failure {
    Failure::new("integer overflow")
}

fn unsigned_overflow() -> Failure {
    Failure::new("unsigned integer overflow")
}

fn duration_overflow() -> Failure {
    Failure::new("duration overflow")
}

fn timestamp_overflow() -> Failure {
    Failure::new("timestamp overflow")
}

fn conversion(value: &Value<'_>, to: &str) -> Failure {
    Failure::new(format!("type conversion error from '{}' to '{to}'", value.type_name()))
}

/// A calculation with two numbers of one type.
fn calculated<'v>(
    [left, right]: [&Value<'v>; 2],
    integers: fn(i64, i64) -> Option<i64>,
    unsigned: fn(u64, u64) -> Option<u64>,
    doubles: Option<fn(f64, f64) -> f64>,
) -> Outcome<'v> {
    Ok(match (left, right, doubles) {
        (Value::Integer(one), Value::Integer(other), _) => Value::Integer(integers(*one, *other).ok_or_else(overflow)?),
        (Value::Unsigned(one), Value::Unsigned(other), _) => {
            Value::Unsigned(unsigned(*one, *other).ok_or_else(unsigned_overflow)?)
        }
        (Value::Double(one), Value::Double(other), Some(doubles)) => Value::Double(doubles(*one, *other)),
        _ => return Err(Failure::no_overload()),
    })
}

pub(crate) fn sum<'v>(left: &Value<'v>, right: &Value<'v>) -> Outcome<'v> {
    Ok(match (left, right) {
        (Value::Text(one), Value::Text(other)) => Value::text([&**one, &**other].concat()),
        (Value::Bytes(one), Value::Bytes(other)) => Value::Bytes([&**one, &**other].concat().into()),
        (Value::Duration(one), Value::Duration(other)) => {
            Value::Duration(Duration(one.0.checked_add(other.0).ok_or_else(overflow)?))
        }
        (Value::Timestamp(time), Value::Duration(duration)) | (Value::Duration(duration), Value::Timestamp(time)) => {
            Value::Timestamp(time.plus(*duration).ok_or_else(timestamp_overflow)?)
        }
        _ => return calculated([left, right], i64::checked_add, u64::checked_add, Some(|one, other| one + other)),
    })
}

pub(crate) fn difference<'v>(left: &Value<'v>, right: &Value<'v>) -> Outcome<'v> {
    Ok(match (left, right) {
        (Value::Duration(one), Value::Duration(other)) => {
            Value::Duration(Duration(one.0.checked_sub(other.0).ok_or_else(duration_overflow)?))
        }
        (Value::Timestamp(time), Value::Duration(duration)) => {
            Value::Timestamp(time.minus(*duration).ok_or_else(timestamp_overflow)?)
        }
        (Value::Timestamp(one), Value::Timestamp(other)) => Value::Duration(one.since(*other).ok_or_else(overflow)?),
        _ => return calculated([left, right], i64::checked_sub, u64::checked_sub, Some(|one, other| one - other)),
    })
}

pub(crate) fn product<'v>(left: &Value<'v>, right: &Value<'v>) -> Outcome<'v> {
    calculated([left, right], i64::checked_mul, u64::checked_mul, Some(|one, other| one * other))
}

pub(crate) fn quotient<'v>(left: &Value<'v>, right: &Value<'v>) -> Outcome<'v> {
    refuse_zero(left, right, "division by zero")?;
    calculated([left, right], i64::checked_div, u64::checked_div, Some(|one, other| one / other))
}

pub(crate) fn remainder<'v>(left: &Value<'v>, right: &Value<'v>) -> Outcome<'v> {
    refuse_zero(left, right, "modulus by zero")?;
    calculated([left, right], i64::checked_rem, u64::checked_rem, None)
}

fn refuse_zero(left: &Value<'_>, right: &Value<'_>, text: &'static str) -> Result<(), Failure> {
    match (left, right) {
        (Value::Integer(_), Value::Integer(0)) | (Value::Unsigned(_), Value::Unsigned(0)) => Err(Failure::new(text)),
        _ => Ok(()),
    }
}

pub(crate) fn negated<'v>(value: &Value<'v>) -> Outcome<'v> {
    Ok(match value {
        Value::Integer(value) => Value::Integer(value.checked_neg().ok_or_else(overflow)?),
        Value::Double(value) => Value::Double(-value),
        Value::Duration(value) => Value::Duration(Duration(value.0.checked_neg().ok_or_else(duration_overflow)?)),
        _ => return Err(Failure::no_overload()),
    })
}

fn to_integer(value: &Value<'_>) -> Result<i64, Failure> {
    Ok(match value {
        Value::Integer(value) => *value,
        Value::Unsigned(value) => i64::try_from(*value).map_err(|_| overflow())?,
        // The doubles next to the limits of an `int` are not in its range.
        #[expect(clippy::cast_possible_truncation, reason = "the value is inside the limits")]
        Value::Double(value) if *value > -9_223_372_036_854_775_808.0 && *value < 9_223_372_036_854_775_808.0 => {
            *value as i64
        }
        Value::Double(_) => return Err(overflow()),
        Value::Text(text) => text.parse().map_err(|_| conversion(value, "int"))?,
        Value::Timestamp(time) => time.seconds(),
        Value::Duration(duration) => duration.0,
        _ => return Err(Failure::no_overload()),
    })
}

fn to_unsigned(value: &Value<'_>) -> Result<u64, Failure> {
    Ok(match value {
        Value::Unsigned(value) => *value,
        Value::Integer(value) => u64::try_from(*value).map_err(|_| unsigned_overflow())?,
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the value is inside the limits")]
        Value::Double(value) if *value >= 0.0 && *value < 18_446_744_073_709_551_616.0 => *value as u64,
        Value::Double(_) => return Err(unsigned_overflow()),
        Value::Text(text) if !text.starts_with('+') => text.parse().map_err(|_| conversion(value, "uint"))?,
        Value::Text(_) => return Err(conversion(value, "uint")),
        _ => return Err(Failure::no_overload()),
    })
}

/// The number that Go's `ParseFloat` reads: also hexadecimal ones, and ones with `_` between digits.
fn double_of(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let hexadecimal = unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X"));
    let is_digit = |byte: u8| byte.is_ascii_digit() || hexadecimal.is_some() && byte.is_ascii_hexdigit();
    let mut before_is_digit = false;
    for (at, byte) in text.bytes().enumerate() {
        let after_is_digit = text.as_bytes().get(at + 1).is_some_and(|byte| is_digit(*byte));
        let is_prefix = hexadecimal.is_some() && at + 1 == text.len() - unsigned.len() + 2;
        if byte == b'_' && !(before_is_digit && after_is_digit) {
            return None;
        }
        before_is_digit = is_digit(byte) || is_prefix;
    }
    let Some(hexadecimal) = hexadecimal else {
        let number = text.replace('_', "").parse::<f64>().ok()?;
        return Some(number).filter(|number| number.is_finite() || !text.bytes().any(|byte| byte.is_ascii_digit()));
    };
    let hexadecimal = hexadecimal.replace('_', "").to_ascii_lowercase();
    let (mantissa, exponent) = hexadecimal.split_once('p')?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    // More digits than a double has are not read.
    let number = u64::from_str_radix(&digits, 16).ok()?;
    let shift = i32::try_from(fraction.len()).ok()?.checked_mul(4)?;
    let exponent = exponent.parse::<i32>().ok()?.checked_sub(shift)?;
    #[expect(clippy::cast_precision_loss, reason = "Go rounds too")]
    let number = number as f64 * 2_f64.powi(exponent);
    Some(if text.starts_with('-') { -number } else { number }).filter(|number| number.is_finite())
}

fn to_double(value: &Value<'_>) -> Result<f64, Failure> {
    Ok(match value {
        Value::Double(value) => *value,
        #[expect(clippy::cast_precision_loss, reason = "CEL rounds too")]
        Value::Integer(value) => *value as f64,
        #[expect(clippy::cast_precision_loss, reason = "CEL rounds too")]
        Value::Unsigned(value) => *value as f64,
        Value::Text(text) => double_of(text).ok_or_else(|| conversion(value, "double"))?,
        _ => return Err(Failure::no_overload()),
    })
}

fn to_boolean(value: &Value<'_>) -> Result<bool, Failure> {
    Ok(match value {
        Value::Boolean(value) => *value,
        Value::Text(text) => match &**text {
            "1" | "t" | "T" | "true" | "True" | "TRUE" => true,
            "0" | "f" | "F" | "false" | "False" | "FALSE" => false,
            _ => return Err(conversion(value, "bool")),
        },
        _ => return Err(Failure::no_overload()),
    })
}

fn to_bytes<'v>(value: &Value<'v>) -> Outcome<'v> {
    match value {
        Value::Bytes(bytes) => Ok(Value::Bytes(bytes.clone())),
        Value::Text(text) => Ok(Value::Bytes(Arc::from(text.as_bytes()))),
        _ => Err(Failure::no_overload()),
    }
}

fn to_text<'v>(value: &Value<'v>) -> Outcome<'v> {
    Ok(match value {
        Value::Text(_) => value.clone(),
        Value::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Value::text(text),
            Err(_) => return Err(Failure::new("invalid UTF-8 in bytes, cannot convert to string")),
        },
        Value::Boolean(_)
        | Value::Integer(_)
        | Value::Unsigned(_)
        | Value::Double(_)
        | Value::Timestamp(_)
        | Value::Duration(_)
        | Value::Address(_)
        | Value::Network(_) => Value::text(shown(value)),
        _ => return Err(Failure::no_overload()),
    })
}

fn to_timestamp(value: &Value<'_>) -> Result<Timestamp, Failure> {
    Ok(match value {
        Value::Timestamp(time) => *time,
        Value::Integer(seconds) => Timestamp::from_seconds(*seconds).ok_or_else(timestamp_overflow)?,
        Value::Text(text) => Timestamp::parse(text).ok_or_else(|| conversion(value, "google.protobuf.Timestamp"))?,
        _ => return Err(Failure::no_overload()),
    })
}

fn to_duration(value: &Value<'_>) -> Result<Duration, Failure> {
    Ok(match value {
        Value::Duration(duration) => *duration,
        Value::Text(text) => Duration::parse(text).ok_or_else(|| conversion(value, "google.protobuf.Duration"))?,
        // Servers before 1.37 have a function for it, which does not convert anything.
        Value::Integer(_) => return Err(conversion(value, "google.protobuf.Duration")),
        _ => return Err(Failure::no_overload()),
    })
}
