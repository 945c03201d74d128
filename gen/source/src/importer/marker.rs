//! The text of markers.
//!
//! Invariants: the parser of the marker language reads every text as the value that was meant. A text is one line.

use crd_markers::marker::{Arguments, parse};
use crd_markers::table::Target;
use crd_markers::value::Value as MarkerValue;
use crd_names::channel::Channel;
use serde_json::{Map, Number, Value};

/// A marker on its line.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Line {
    /// The channel that it is limited to.
    pub(crate) channel: Option<Channel>,
    /// The text behind the plus and the channel.
    pub(crate) text: String,
}

impl Line {
    /// As it is written.
    pub(crate) fn written(&self) -> String {
        match self.channel {
            Some(channel) => format!("+{channel}:{}", self.text),
            None => format!("+{}", self.text),
        }
    }
}

/// A text as a value: a bare word if it is one, else in quotes.
pub(crate) fn text(text: &str) -> String {
    let is_word = text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-')
        && !matches!(text, "true" | "false" | "null" | "ref");
    if is_word { text.to_owned() } else { quoted(text) }
}

/// A text in quotes. Backticks need no escapes.
pub(crate) fn quoted(text: &str) -> String {
    let is_raw = text.contains(['"', '\\']) && !text.contains('`') && text.chars().all(is_plain);
    if is_raw {
        return format!("`{text}`");
    }
    let mut result = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => result.extend(['\\', character]),
            '\n' => result.push_str("\\n"),
            '\t' => result.push_str("\\t"),
            '\r' => result.push_str("\\r"),
            other if is_plain(other) => result.push(other),
            other => result.push_str(&format!("\\U{:08x}", u32::from(other))),
        }
    }
    result.push('"');
    result
}

/// Whether the character may be in a doc comment as it is.
fn is_plain(character: char) -> bool {
    !character.is_control()
        && !matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// A JSON value. JSON is valid where any value is.
pub(crate) fn json(value: &Value) -> String {
    match value {
        Value::String(string) => text(string),
        other => nested(other),
    }
}

fn nested(value: &Value) -> String {
    match value {
        // In double quotes, as in JSON: a backtick would not be one in a nested value that has them.
        Value::String(string) => {
            let quoted = quoted(string);
            if quoted.starts_with('`') {
                format!("\"{}\"", string.replace('\\', "\\\\").replace('"', "\\\""))
            } else {
                quoted
            }
        }
        Value::Array(items) => format!("[{}]", items.iter().map(nested).collect::<Vec<_>>().join(", ")),
        Value::Object(entries) => {
            let entry =
                |(key, value): (&String, &Value)| format!("{}: {}", nested(&Value::String(key.clone())), nested(value));
            format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// A list of values.
pub(crate) fn list(values: &[Value]) -> String {
    let words = values.iter().map(json).collect::<Vec<_>>();
    let is_simple = values.iter().all(|value| !matches!(value, Value::Array(_) | Value::Object(_)));
    if is_simple && !values.is_empty() { words.join(";") } else { nested(&Value::Array(values.to_vec())) }
}

/// Whether the parser reads the text, on that target, as this value. `None` for markers whose arguments are not one JSON value.
pub(crate) fn check(written: &str, target: Target, meant: Option<&Value>) -> Result<(), String> {
    let marker = parse(written, target).map_err(|errors| errors.join("; "))?;
    let read = match &marker.arguments {
        Arguments::Value(value) => value_of(value),
        _ => return Ok(()),
    };
    match meant {
        Some(meant) if !is_same(&read, meant) => Err(format!("the marker language has no form for {meant}")),
        _ => Ok(()),
    }
}

fn is_same(read: &Value, meant: &Value) -> bool {
    match (read, meant) {
        // An integer that is larger than any of the marker language would be written as another number.
        (Value::Number(read), Value::Number(meant)) => {
            read == meant || read.as_f64() == meant.as_f64() && meant.is_f64() == read.is_f64()
        }
        (Value::Array(read), Value::Array(meant)) => {
            read.len() == meant.len() && read.iter().zip(meant).all(|(read, meant)| is_same(read, meant))
        }
        (Value::Object(read), Value::Object(meant)) => {
            read.len() == meant.len()
                && read.iter().all(|(key, value)| meant.get(key).is_some_and(|meant| is_same(value, meant)))
        }
        (read, meant) => read == meant,
    }
}

fn value_of(value: &MarkerValue) -> Value {
    match value {
        MarkerValue::Null => Value::Null,
        MarkerValue::Boolean(boolean) => Value::Bool(*boolean),
        MarkerValue::Integer(integer) => Value::Number((*integer).into()),
        MarkerValue::Float(float) => Number::from_f64(*float).map_or(Value::Null, Value::Number),
        MarkerValue::String(text) => Value::String(text.clone()),
        MarkerValue::List(items) => Value::Array(items.iter().map(value_of).collect()),
        MarkerValue::Object(entries) => {
            Value::Object(entries.iter().map(|(key, value)| (key.clone(), value_of(value))).collect::<Map<_, _>>())
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_read_as_they_were() {
        for value in [
            json!("Word"),
            json!("with space"),
            json!(""),
            json!("true"),
            json!("null"),
            json!("12"),
            json!("a;b"),
            json!("`tick` \"quote\" \\ back"),
            json!("\"q\" \\d"),
            json!("line\nbreak\ttab \u{7} \u{202e}"),
            json!(true),
            json!(-3),
            json!(1.5),
            json!(1e-7),
            json!([]),
            json!({}),
            json!(["a", 1, [true], {"b": null}]),
            json!({"a b": "c", "d": [{"e": "`"}, {"f": "\\\"`"}], "g": {}}),
        ] {
            check(&format!("kubebuilder:default={}", self::json(&value)), Target::Field, Some(&value))
                .expect("a value");
            check(
                &format!("kubebuilder:validation:Enum={}", list(&[value.clone(), json!("x")])),
                Target::Field,
                Some(&json!([value, "x"])),
            )
            .expect("a list");
        }
        let big = json!(18_446_744_073_709_551_615_u64);
        assert!(check(&format!("kubebuilder:default={}", self::json(&big)), Target::Field, Some(&big)).is_err());
    }
}
