//! The meaning of a YAML scalar: null, boolean, number or string.
//!
//! Invariants: a scalar means what sigs.k8s.io/yaml, with which kubectl and the API server read, makes of it:
//! `yes` and `on` are booleans, `010` is eight, `1_000` a thousand, `1.0` an integer, a date a string. Nothing here is shared
//! with the writer ([`super::style`]), so that the two check each other.

use std::borrow::Cow;

use serde_json::{Number, Value};

use crate::base64;

/// The meaning of a scalar.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Meaning {
    Null,
    Bool(bool),
    Number(Number),
    /// Any other number; JSON cannot carry an infinity and not-a-number.
    Float(f64),
    Text,
}

impl Meaning {
    /// What to call it in a message.
    pub(super) fn describe(&self, text: &str) -> String {
        match self {
            Meaning::Null => "null".to_owned(),
            Meaning::Bool(value) => format!("the boolean {value}"),
            Meaning::Number(number) => format!("the number {number}"),
            Meaning::Float(float) if float.is_finite() => format!("the number {float}"),
            Meaning::Float(_) => format!("the number {text}"),
            Meaning::Text => format!("the string {}", quoted(text)),
        }
    }

    /// The JSON value; `None` for what JSON cannot carry.
    pub(super) fn into_value(self, text: Cow<'_, str>) -> Option<Value> {
        match self {
            Meaning::Null => Some(Value::Null),
            Meaning::Bool(value) => Some(Value::Bool(value)),
            Meaning::Number(number) => Some(Value::Number(number)),
            Meaning::Float(float) => without_fraction(float).or_else(|| Number::from_f64(float)).map(Value::Number),
            Meaning::Text => Some(Value::String(text.into_owned())),
        }
    }
}

/// An integer that is written as a float, such as `1.0` or `1e3`. Clients send it as Go's `encoding/json` writes it: below 1e21 without an
/// exponent, with the digits of the shortest decimal number that is this float. Beyond 64 bits, servers read a float again.
pub(super) fn without_fraction(float: f64) -> Option<Number> {
    const SHORTEST_WITH_EXPONENT: f64 = 1e21;
    if float.fract() != 0.0 || float.abs() >= SHORTEST_WITH_EXPONENT {
        return None;
    }
    let text = float.to_string();
    text.parse::<i64>().map(Number::from).or_else(|_| text.parse::<u64>().map(Number::from)).ok()
}

/// What a scalar with a tag means, and its text; or what is wrong. Tags that YAML does not define make strings.
pub(super) fn tagged<'t>(text: &'t str, tag: &str) -> Result<(Meaning, Cow<'t, str>), String> {
    let wanted = tag.strip_prefix("tag:yaml.org,2002:").unwrap_or_default();
    let found = match wanted {
        "binary" => {
            let bytes = base64::decoded(text).ok_or("the tag is `!!binary`, and the value is not base64")?;
            return Ok((Meaning::Text, Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())));
        }
        "bool" | "int" | "float" | "null" | "timestamp" => plain(text),
        _ => Meaning::Text,
    };
    let is_wanted = match (wanted, &found) {
        ("bool", Meaning::Bool(_)) | ("int", Meaning::Number(_)) | ("null", Meaning::Null) => true,
        ("float", Meaning::Float(_)) => true,
        ("float", Meaning::Number(number)) => number.is_i64(),
        ("timestamp", Meaning::Text) => is_timestamp(text),
        ("bool" | "int" | "float" | "null" | "timestamp", _) => false,
        _ => true,
    };
    match (is_wanted, found) {
        (false, found) => Err(format!("the tag is `!!{wanted}`, and the value is {}", found.describe(text))),
        (true, Meaning::Number(number)) if wanted == "float" => {
            Ok((number.as_f64().map_or(Meaning::Text, Meaning::Float), Cow::Borrowed(text)))
        }
        (true, found) => Ok((found, Cow::Borrowed(text))),
    }
}

/// A date, or a date and a time, as far as the tag `!!timestamp` is checked here: not the length of months, and of times only the form.
fn is_timestamp(text: &str) -> bool {
    let number =
        |text: &str, most: u8| text.len() <= 2 && text.parse().is_ok_and(|number: u8| (1..=most).contains(&number));
    let (date, time) = text.split_once(['T', 't', ' ']).map_or((text, None), |(date, time)| (date, Some(time)));
    let mut parts = date.splitn(3, '-');
    let year = parts.next().is_some_and(|year| year.len() == 4 && year.bytes().all(|byte| byte.is_ascii_digit()));
    let is_date =
        year && parts.next().is_some_and(|part| number(part, 12)) && parts.next().is_some_and(|part| number(part, 31));
    is_date
        && time
            .is_none_or(|time| time.split(':').count() >= 3 && time.starts_with(|first: char| first.is_ascii_digit()))
}

/// The name of a key as JSON has it. Numbers and booleans become their text, floats as Go writes those of 32 bits.
pub(super) fn key_name(meaning: &Meaning, text: &str) -> Option<String> {
    match meaning {
        Meaning::Text => Some(text.to_owned()),
        Meaning::Bool(value) => Some(value.to_string()),
        Meaning::Number(number) => number.as_i64().map(|number| number.to_string()),
        Meaning::Float(float) => {
            #[allow(clippy::cast_possible_truncation, reason = "as Go does")]
            let float = *float as f32;
            let scientific = format!("{float:e}");
            Some(match scientific.split_once('e') {
                None if float.is_nan() => ".nan".to_owned(),
                None => scientific.replace("inf", ".inf"),
                Some((digits, exponent)) => match exponent.parse::<i32>().ok()? {
                    -4..6 => float.to_string(),
                    exponent => format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs()),
                },
            })
        }
        Meaning::Null => None,
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
            ".nan" | ".NaN" | ".NAN" => Meaning::Float(f64::NAN),
            ".inf" | ".Inf" | ".INF" => Meaning::Float(f64::INFINITY),
            _ => fraction(text),
        },
        b'0'..=b'9' => number(text),
        b'+' | b'-' => match &text[1..] {
            ".inf" | ".Inf" | ".INF" if first == b'+' => Meaning::Float(f64::INFINITY),
            ".inf" | ".Inf" | ".INF" => Meaning::Float(f64::NEG_INFINITY),
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
    if let Some(signed) = text.strip_prefix("0b").filter(|rest| rest.starts_with(['+', '-'])) {
        return i64::from_str_radix(signed, 2).ok().map(Number::from);
    }
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
    match text.parse::<f64>().ok().filter(|float| float.is_finite()) {
        Some(float) => Meaning::Float(float),
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
