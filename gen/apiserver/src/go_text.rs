//! Values in the texts of a server: as JSON, and as Go prints them.
//!
//! Invariants: a number that fits 64 bits is an integer, every other number a float, as a server holds them.

use std::fmt::Write as _;

use serde_json::{Map, Value};

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

/// `%q`: a text in double quotes, with escapes for what is not printable.
pub(crate) fn quoted(text: &str) -> String {
    let mut result = String::with_capacity(text.len() + 2);
    result.push('"');
    for character in text.chars() {
        let _ = match character {
            '"' => write!(result, "\\\""),
            '\\' => write!(result, "\\\\"),
            '\u{7}' => write!(result, "\\a"),
            '\u{8}' => write!(result, "\\b"),
            '\u{c}' => write!(result, "\\f"),
            '\n' => write!(result, "\\n"),
            '\r' => write!(result, "\\r"),
            '\t' => write!(result, "\\t"),
            '\u{b}' => write!(result, "\\v"),
            character if (character as u32) < 0x20 || character == '\u{7f}' => {
                write!(result, "\\x{:02x}", character as u32)
            }
            character if is_printable(character) => write!(result, "{character}"),
            character if (character as u32) < 0x1_0000 => write!(result, "\\u{:04x}", character as u32),
            character => write!(result, "\\U{:08x}", character as u32),
        };
    }
    result.push('"');
    result
}

/// Whether Go prints a character as it is. Rust's debug form escapes nearly the same characters; what combines with the character before
/// it, which Rust escapes too, Go prints.
pub(crate) fn is_printable(character: char) -> bool {
    if character.is_ascii() {
        return (' '..='~').contains(&character);
    }
    let mut escaped = character.escape_debug();
    escaped.len() == 1 && escaped.next() == Some(character) || is_mark(character)
}

/// Whether a character changes the one before it. These blocks hold the marks of common scripts.
fn is_mark(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5bd}' | '\u{610}'..='\u{61a}'
        | '\u{64b}'..='\u{65f}' | '\u{93a}'..='\u{94d}' | '\u{e31}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}'
        | '\u{1ab0}'..='\u{1ace}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20f0}' | '\u{302a}'..='\u{302d}'
        | '\u{3099}' | '\u{309a}' | '\u{fe00}'..='\u{fe0f}' | '\u{fe20}'..='\u{fe2f}' | '\u{e0100}'..='\u{e01ef}')
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

/// `%T`
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.as_i64().is_some() => "int64",
        Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}
