//! Values in the texts of a server: as JSON, and as Go prints them.
//!
//! Invariants: a number that fits 64 bits is an integer, every other number a float, as a server holds them.

use std::fmt::Write as _;

use serde_json::{Map, Value};

pub(crate) use crd_cel::{go_type as type_name, is_printable, quoted};

use crate::numbers::Numeric;

/// A number as `%v` prints it.
pub(crate) fn number(number: Numeric) -> String {
    match number {
        Numeric::Integer(integer) => integer.to_string(),
        Numeric::Float(float) => crd_cel::shortest_number(float),
    }
}

/// Members by name, as Go prints maps.
pub(crate) fn sorted(object: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut members: Vec<(&String, &Value)> = object.iter().collect();
    members.sort_unstable_by_key(|(name, _)| *name);
    members
}

/// A float in JSON, as Go writes it.
pub(crate) fn json_float(float: f64) -> String {
    let size = float.abs();
    if size != 0.0 && !(1e-6..1e21).contains(&size) {
        let text = format!("{float:e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        return match exponent.strip_prefix('-') {
            // Go cleans up e-09 to e-9.
            Some(exponent) => format!("{digits}e-{exponent}"),
            None => format!("{digits}e+{exponent:0>2}"),
        };
    }
    format!("{float}")
}

/// JSON as Go writes it: members by name, without spaces, with escapes for HTML.
pub(crate) fn json(value: &Value) -> String {
    let mut text = String::new();
    write_json(value, &mut text);
    text
}

fn write_json(value: &Value, text: &mut String) {
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => match Numeric::of(number) {
            Numeric::Integer(integer) => text.push_str(&integer.to_string()),
            Numeric::Float(float) => text.push_str(&json_float(float)),
        },
        Value::String(value) => write_json_text(value, text),
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write_json(item, text);
            }
            text.push(']');
        }
        Value::Object(object) => {
            text.push('{');
            for (index, (name, member)) in sorted(object).into_iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write_json_text(name, text);
                text.push(':');
                write_json(member, text);
            }
            text.push('}');
        }
    }
}

fn write_json_text(value: &str, text: &mut String) {
    text.push('"');
    for character in value.chars() {
        let _ = match character {
            '"' => write!(text, "\\\""),
            '\\' => write!(text, "\\\\"),
            '\n' => write!(text, "\\n"),
            '\r' => write!(text, "\\r"),
            '\t' => write!(text, "\\t"),
            '\u{8}' => write!(text, "\\b"),
            '\u{c}' => write!(text, "\\f"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..='\u{1f}' => write!(text, "\\u{:04x}", character as u32),
            character => write!(text, "{character}"),
        };
    }
    text.push('"');
}

/// `%#v`: a value in the syntax of Go.
pub(crate) fn syntax(value: &Value) -> String {
    match value {
        Value::Null => "interface {}(nil)".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => match Numeric::of(number) {
            Numeric::Integer(integer) => integer.to_string(),
            Numeric::Float(float) => syntax_float(float),
        },
        Value::String(text) => quoted(text),
        Value::Array(items) => {
            format!("[]interface {{}}{{{}}}", items.iter().map(syntax).collect::<Vec<_>>().join(", "))
        }
        Value::Object(object) => {
            let member = |(name, value): (&String, &Value)| format!("{}:{}", quoted(name), syntax(value));
            let members: Vec<String> = sorted(object).into_iter().map(member).collect();
            format!("map[string]interface {{}}{{{}}}", members.join(", "))
        }
    }
}

/// Here the exponent begins at 21 digits.
fn syntax_float(float: f64) -> String {
    let text = format!("{float:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if !(-4..21).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", exponent.abs());
    }
    format!("{float}")
}

/// `%v`
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => self::number(Numeric::of(number)),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(" ")),
        Value::Object(object) => {
            let members: Vec<String> =
                sorted(object).into_iter().map(|(name, value)| format!("{name}:{}", shown(value))).collect();
            format!("map[{}]", members.join(" "))
        }
    }
}
