//! JSON values as constants: defaults, examples, enum values.
//!
//! Invariants: entries of an object keep the author's order; `crd-generate` brings them into canonical order.

use crate::leaked;
use crate::value::Value;

/// A JSON value that is a constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// Any other number.
    Float(f64),
    /// A string.
    String(&'static str),
    /// A list.
    List(&'static [Json]),
    /// An object.
    Object(&'static [(&'static str, Json)]),
}

impl Json {
    /// The value of a marker, as a part of a descriptor.
    pub fn leaked(value: &Value) -> Json {
        match value {
            Value::Null => Json::Null,
            Value::Boolean(boolean) => Json::Boolean(*boolean),
            Value::Integer(integer) => Json::Integer(*integer),
            Value::Float(float) => Json::Float(*float),
            Value::String(text) => Json::String(leaked::text(text)),
            Value::List(items) => Json::List(leaked::list(items.iter().map(Json::leaked).collect())),
            Value::Object(entries) => Json::Object(leaked::list(
                entries.iter().map(|(key, value)| (leaked::text(key), Json::leaked(value))).collect(),
            )),
        }
    }
}

/// A number in a marker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A whole number.
    Integer(i64),
    /// Any other number.
    Float(f64),
}

impl Number {
    /// The number for comparisons; whole numbers beyond 2^53 lose their last digits.
    pub const fn as_f64(self) -> f64 {
        match self {
            Number::Integer(integer) => integer as f64,
            Number::Float(float) => float,
        }
    }
}
