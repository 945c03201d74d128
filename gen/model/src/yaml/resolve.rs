//! The meaning of a YAML scalar: null, boolean, number or string.
//!
//! Invariants: a plain scalar means what sigs.k8s.io/yaml, with which kubectl and the API server read, makes of it:
//! `yes` and `on` are booleans, `010` is eight, `1_000` a thousand, a date a string. Nothing here is shared with the
//! writer ([`super::style`]), so that the two check each other.

use std::borrow::Cow;

use serde_json::{Number, Value};

/// The meaning of a scalar.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Meaning {
    /// Nothing.
    Null,
    /// True or false.
    Bool(bool),
    /// A number that JSON can carry.
    Number(Number),
    /// An infinity or not-a-number, which JSON cannot carry.
    NotFinite,
    /// The text itself.
    Text,
}

impl Meaning {
    /// What to call it in a message.
    pub(super) fn describe(&self, text: &str) -> String {
        match self {
            Meaning::Null => "null".to_owned(),
            Meaning::Bool(value) => format!("the boolean {value}"),
            Meaning::Number(number) => format!("the number {number}"),
            Meaning::NotFinite => format!("the number {text}"),
            Meaning::Text => format!("the string {}", quoted(text)),
        }
    }

    /// The JSON value; `None` for what JSON cannot carry.
    pub(super) fn into_value(self, text: Cow<'_, str>) -> Option<Value> {
        match self {
            Meaning::Null => Some(Value::Null),
            Meaning::Bool(value) => Some(Value::Bool(value)),
            Meaning::Number(number) => Some(Value::Number(number)),
            Meaning::NotFinite => None,
            Meaning::Text => Some(Value::String(text.into_owned())),
        }
    }
}

/// A string in double quotes, shortened for a message.
pub(super) fn quoted(text: &str) -> String {
    const LONGEST: usize = 80;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

/// What a plain scalar means.
pub(super) fn plain(text: &str) -> Meaning {
    let Some(first) = text.bytes().next() else { return Meaning::Null };
    match first {
        b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~' => word(text),
        b'.' => match text {
            ".nan" | ".NaN" | ".NAN" | ".inf" | ".Inf" | ".INF" => Meaning::NotFinite,
            _ => fraction(text),
        },
        b'0'..=b'9' => number(text),
        b'+' | b'-' => match &text[1..] {
            ".inf" | ".Inf" | ".INF" => Meaning::NotFinite,
            _ => number(text),
        },
        _ => Meaning::Text,
    }
}

fn word(text: &str) -> Meaning {
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => Meaning::Bool(true),
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => Meaning::Bool(false),
        "~" | "null" | "Null" | "NULL" => Meaning::Null,
        _ => Meaning::Text,
    }
}

/// A scalar that begins with a digit or a sign: all underscores are skipped.
fn number(text: &str) -> Meaning {
    // Dates, versions, addresses and times: most scalars that begin with a digit and are not numbers.
    if !text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b'_')) {
        return Meaning::Text;
    }
    let without_underscores;
    let text = if text.contains('_') {
        without_underscores = text.replace('_', "");
        without_underscores.as_str()
    } else {
        text
    };
    match integer(text) {
        Some(number) => Meaning::Number(number),
        None => decimal(text),
    }
}

/// A scalar that begins with a point: underscores between digits are skipped, as in Go's number parser.
fn fraction(text: &str) -> Meaning {
    if !text.contains('_') {
        return decimal(text);
    }
    let are_between_digits = !text.ends_with('_')
        && text.as_bytes().windows(3).all(|three| match three {
            [before, b'_', after] => before.is_ascii_digit() && after.is_ascii_digit(),
            _ => true,
        });
    if are_between_digits { decimal(&text.replace('_', "")) } else { Meaning::Text }
}

/// An integer of 64 bits, signed or not, in the base of its prefix: `0x`, `0o`, `0b`, or `0` for octal.
fn integer(text: &str) -> Option<Number> {
    let (negative, signed, digits) = match text.as_bytes().first() {
        Some(b'-') => (true, true, &text[1..]),
        Some(b'+') => (false, true, &text[1..]),
        _ => (false, false, text),
    };
    let (base, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..]),
        [b'0', b'o' | b'O', ..] => (8, &digits[2..]),
        [b'0', b'b' | b'B', ..] => (2, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    // The standard library would accept a second sign.
    if !digits.as_bytes().first()?.is_ascii_alphanumeric() {
        return None;
    }
    let magnitude = u64::from_str_radix(digits, base).ok()?;
    if negative {
        return 0i64.checked_sub_unsigned(magnitude).map(Number::from);
    }
    // A plus sign makes it a signed integer, whose range ends earlier.
    if signed { i64::try_from(magnitude).ok().map(Number::from) } else { Some(Number::from(magnitude)) }
}

/// `12`, `12.`, `12.5`, `.5`, each with or without sign and exponent, as long as it is finite.
fn decimal(text: &str) -> Meaning {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let mut rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    rest = &rest[digits(rest)..];
    if let Some(after) = rest.strip_prefix('.') {
        rest = &after[digits(after)..];
    }
    if let Some(after) = rest.strip_prefix(['e', 'E']) {
        let after = after.strip_prefix(['+', '-']).unwrap_or(after);
        let exponent = digits(after);
        if exponent == 0 {
            return Meaning::Text;
        }
        rest = &after[exponent..];
    }
    if !rest.is_empty() {
        return Meaning::Text;
    }
    match text.parse::<f64>().ok().and_then(Number::from_f64) {
        Some(number) => Meaning::Number(number),
        // Kubernetes reads a number without a digit before the exponent, or out of range, as a string.
        None => Meaning::Text,
    }
}

/// Whether every reader of YAML 1.1 and 1.2 reads a plain scalar as this text. Readers convert what [`plain`]
/// recognizes, numbers to the base of 60, floats with several points, dates, times, and the keys `<<` and `=`.
pub(super) fn is_text_for_all_readers(text: &str) -> bool {
    if plain(text) != Meaning::Text || matches!(text, "<<" | "=") {
        return false;
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let begins_as_number = match unsigned.as_bytes() {
        [b'.'] | [b'.', b'.' | b'0'..=b'9', ..] => true,
        [first, ..] => first.is_ascii_digit(),
        [] => false,
    };
    !(begins_as_number
        && unsigned.bytes().all(|byte| {
            matches!(byte, b'0'..=b'9' | b'_' | b'.' | b':' | b'+' | b'-' | b' ' | b'T' | b't' | b'Z' | b'z')
        }))
}
