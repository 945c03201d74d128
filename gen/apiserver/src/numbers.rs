//! Numbers as Go holds and compares them.
//!
//! Invariants: an integer of 64 bits is an integer, every other number a float; 1 and 1.0 are two numbers.

use std::collections::HashSet;

use serde_json::{Number, Value};

/// A JSON number as the server holds it: 64-bit integers as such, everything else as a float (`1.0` is not an integer).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Numeric {
    Integer(i64),
    Float(f64),
}

impl Numeric {
    pub(crate) fn of(number: &Number) -> Self {
        match number.as_i64() {
            Some(integer) => Numeric::Integer(integer),
            None => Numeric::Float(number.as_f64().unwrap_or(f64::NAN)),
        }
    }

    pub(crate) fn as_float(self) -> f64 {
        match self {
            Numeric::Integer(integer) => integer as f64,
            Numeric::Float(float) => float,
        }
    }
}

/// Whether the server of a minor takes a float for an integer: a whole number up to 2^53 - 1, or off by less than a billionth
/// (`IsFloat64AJSONInteger` of go-openapi/swag, whose version 0.27 of Kubernetes 1.37 rounds where 0.23 truncates).
pub(crate) fn is_nearly_whole(float: f64, minor: u32) -> bool {
    const LARGEST: f64 = 9_007_199_254_740_991.0;
    if !float.is_finite() || float.abs() > LARGEST {
        return false;
    }
    let whole = float.trunc();
    if float == whole {
        return true;
    }
    if minor >= 37 {
        let nearest = float.round();
        return nearest != 0.0 && (float - nearest).abs() < 1e-9 * nearest.abs();
    }
    // The comparison of these servers only works for positive numbers of at least 1.
    whole >= 1.0 && (float - whole) / (float + whole) < 1e-9
}

/// The numbers that a type and its format allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberRange {
    Int32,
    Int64,
    Float,
    Any,
}

impl NumberRange {
    pub(crate) fn of(kind: Option<&str>, format: &str) -> Self {
        match (kind, format) {
            (Some("integer"), "int32") => NumberRange::Int32,
            (Some("integer"), _) => NumberRange::Int64,
            (Some("number"), "float") => NumberRange::Float,
            _ => NumberRange::Any,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            NumberRange::Int32 => "32-bit integer",
            NumberRange::Int64 => "64-bit integer",
            NumberRange::Float => "32-bit float",
            NumberRange::Any => "number",
        }
    }

    pub(crate) fn holds(self, number: Numeric) -> bool {
        match (self, number) {
            (NumberRange::Int32, Numeric::Integer(integer)) => i32::try_from(integer).is_ok(),
            (NumberRange::Int32, Numeric::Float(float)) => {
                float == float.trunc() && (-2_147_483_648.0..2_147_483_648.0).contains(&float)
            }
            (NumberRange::Int64, Numeric::Integer(_)) | (NumberRange::Any, _) => true,
            (NumberRange::Int64, Numeric::Float(float)) => {
                float == float.trunc() && (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&float)
            }
            (NumberRange::Float, number) => (number.as_float() as f32).is_finite(),
        }
    }
}

/// Whether a value is the member of an `enum`, after the conversions that Go makes between numbers and from integers to
/// strings.
pub(crate) fn is_member(value: &Value, allowed: &Value) -> bool {
    match (value, allowed) {
        (Value::Null, _) | (_, Value::Null) => false,
        (Value::Number(value), Value::Number(allowed)) => match (Numeric::of(value), Numeric::of(allowed)) {
            (Numeric::Integer(value), Numeric::Integer(allowed)) => value == allowed,
            (Numeric::Float(value), Numeric::Integer(allowed)) => value as i64 == allowed,
            (value, Numeric::Float(allowed)) => value.as_float() == allowed,
        },
        (Value::Number(value), Value::String(allowed)) => {
            let Numeric::Integer(code) = Numeric::of(value) else { return false };
            let character = u32::try_from(code).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER);
            allowed.chars().eq([character])
        }
        (value, allowed) => is_same(value, allowed),
    }
}

/// The members of a long `enum`, found quickly.
#[derive(Debug)]
pub(crate) struct Members {
    integers: HashSet<i64>,
    /// By their bits.
    floats: HashSet<u64>,
    others: HashSet<Value>,
}

impl Members {
    /// Nothing where lists and objects would have to be compared.
    pub(crate) fn of(allowed: &[Value]) -> Option<Self> {
        if allowed.iter().any(|value| value.is_array() || value.is_object()) {
            return None;
        }
        let mut members = Self { integers: HashSet::new(), floats: HashSet::new(), others: HashSet::new() };
        for value in allowed.iter().filter(|value| !value.is_null()) {
            match value {
                Value::Number(number) => match Numeric::of(number) {
                    Numeric::Integer(integer) => drop(members.integers.insert(integer)),
                    // Zero and its negative are equal.
                    Numeric::Float(float) => drop(members.floats.insert((float + 0.0).to_bits())),
                },
                other => drop(members.others.insert(other.clone())),
            }
        }
        Some(members)
    }

    /// Whether [`is_member`] is true for one of them.
    pub(crate) fn contain(&self, value: &Value) -> bool {
        let Value::Number(number) = value else { return self.others.contains(value) };
        let number = Numeric::of(number);
        let (integer, code) = match number {
            Numeric::Integer(integer) => (integer, Some(integer)),
            Numeric::Float(float) => (float as i64, None),
        };
        let character = |code: i64| {
            let character = u32::try_from(code).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER);
            Value::from(String::from(character))
        };
        self.integers.contains(&integer)
            || self.floats.contains(&(number.as_float() + 0.0).to_bits())
            || code.is_some_and(|code| self.others.contains(&character(code)))
    }
}

/// Equality that distinguishes the integer 1 from the float 1.0, as Go does.
pub(crate) fn is_same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => Numeric::of(left) == Numeric::of(right),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| is_same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, value)| right.get(key).is_some_and(|other| is_same(value, other)))
        }
        (left, right) => left == right,
    }
}
