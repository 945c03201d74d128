//! JSON values as constants: defaults, examples, enum values.
//!
//! Invariants: entries of an object keep the author's order; `crd-generate` brings them into canonical order.

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
    /// The value of a marker. It is never freed, because descriptors are not.
    pub fn leaked(value: &Value) -> Json {
        match value {
            Value::Null => Json::Null,
            Value::Boolean(boolean) => Json::Boolean(*boolean),
            Value::Integer(integer) => Json::Integer(*integer),
            Value::Float(float) => Json::Float(*float),
            Value::String(text) => Json::String(leaked(text)),
            Value::List(items) => Json::List(Vec::leak(items.iter().map(Json::leaked).collect())),
            Value::Object(entries) => {
                Json::Object(Vec::leak(entries.iter().map(|(key, value)| (leaked(key), Json::leaked(value))).collect()))
            }
        }
    }
}

/// A text that is never freed.
pub fn leaked(text: &str) -> &'static str {
    String::leak(text.to_owned())
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
