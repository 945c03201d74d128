//! `format`: texts of values, and the clauses `%s`, `%d`, `%f`, `%e`, `%b`, `%x`, `%X`, `%o` with the texts of Kubernetes, which
//! separates thousands in `%f` and writes powers of ten in `%e`.

use crate::failure::{Failure, quoted_by};
use crate::value::shown::{double, shown};
use crate::value::{List, Outcome, Value};

/// Digits after the point where the clause does not state them.
const PRECISION: usize = 6;
/// The largest number of digits that this crate writes.
const LARGEST_PRECISION: usize = 1000;

/// The clauses of a pattern: the letters after `%` and their precisions.
///
/// # Errors
///
/// Why the pattern cannot be read.
pub(crate) fn clauses(pattern: &str) -> Result<Vec<char>, String> {
    let mut found = Vec::new();
    let mut rest = pattern;
    while let Some(at) = rest.find('%') {
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('%') {
            rest = after;
            continue;
        }
        if rest.is_empty() {
            return Err("unexpected end of string".to_owned());
        }
        (_, rest) = precision(rest).map_err(|_| "the precision is not a number".to_owned())?;
        let clause = rest.chars().next().unwrap_or_default();
        if !matches!(clause, 's' | 'd' | 'f' | 'e' | 'b' | 'x' | 'X' | 'o') {
            return Err(format!("unrecognized formatting clause {clause:?}"));
        }
        rest = &rest[clause.len_utf8()..];
        found.push(clause);
    }
    Ok(found)
}

/// The precision that a clause begins with, such as `.2`, and the rest.
fn precision(clause: &str) -> Result<(Option<usize>, &str), Failure> {
    let Some(after) = clause.strip_prefix('.') else { return Ok((None, clause)) };
    let (digits, rest) = after.split_at(after.bytes().take_while(u8::is_ascii_digit).count());
    if rest.is_empty() {
        return Err(unparsed("error while parsing precision: could not find end of precision specifier"));
    }
    match digits.parse() {
        Ok(number) => Ok((Some(number), rest)),
        Err(_) => Err(unparsed(&format!(
            "error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing {digits:?}: \
             invalid syntax"
        ))),
    }
}

pub(super) fn format<'v>(pattern: &str, values: &List<'v>) -> Outcome<'v> {
    let mut text = String::with_capacity(pattern.len());
    let mut rest = pattern;
    let mut index = 0;
    while let Some(at) = rest.find('%') {
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('%') {
            text.push('%');
            rest = after;
            continue;
        }
        let value = values.get(index).ok_or_else(|| Failure::new(format!("index {index} out of range")))?;
        if let Value::Failed(failure) = &value {
            return Err(Failure::clone(failure));
        }
        if rest.is_empty() {
            return Err(Failure::new("unexpected end of string"));
        }
        let (precision, after) = precision(rest)?;
        rest = after;
        let clause = rest.chars().next().unwrap_or_default();
        rest = &rest[clause.len_utf8()..];
        let precision = precision.unwrap_or(PRECISION);
        if precision > LARGEST_PRECISION {
            return Err(Failure::undecided(format!("precision {precision} is larger than {LARGEST_PRECISION}")));
        }
        let written = match clause {
            's' => string(&value),
            'd' => decimal(&value),
            'f' => fixed(&value, precision),
            'e' => scientific(&value, precision),
            'b' => binary(&value),
            'x' => hexadecimal(&value),
            'X' => hexadecimal(&value).map(|text| text.to_uppercase()),
            'o' => octal(&value),
            other => return Err(unparsed(&format!("unrecognized formatting clause \"{other}\""))),
        };
        text.push_str(&written.map_err(|why| Failure::new(format!("error during formatting: {why}")))?);
        index += 1;
    }
    text.push_str(rest);
    Ok(Value::text(text))
}

fn unparsed(why: &str) -> Failure {
    Failure::new(format!("could not parse formatting clause: {why}"))
}

/// Why a value does not have a text.
type Refused = String;
type Written = Result<String, Refused>;

fn wrong(clause: &str, takes: &str, value: &Value<'_>) -> Refused {
    format!("{clause} clause can only be used on {takes}, was given {}", value.type_name())
}

fn string(value: &Value<'_>) -> Written {
    match value {
        Value::List(_) | Value::Map(_) => nested(value),
        Value::Bytes(bytes) if std::str::from_utf8(bytes).is_err() => {
            Err("invalid UTF-8 in bytes, cannot convert to string".to_owned())
        }
        value if is_refused(value) => Err(wrong(
            "string",
            "strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
            value,
        )),
        value => Ok(shown(value)),
    }
}

/// Whether `%s` refuses values of this type.
fn is_refused(value: &Value<'_>) -> bool {
    value.is_of_kubernetes() || matches!(value, Value::Optional(_) | Value::Failed(_))
}

/// A value inside a list or a map.
fn nested(value: &Value<'_>) -> Written {
    Ok(match value {
        Value::Text(text) => quoted(text),
        Value::Bytes(bytes) => format!("b{}", quoted(&String::from_utf8_lossy(bytes))),
        Value::Timestamp(time) => format!("timestamp(\"{time}\")"),
        Value::Duration(duration) => format!("duration(\"{duration}\")"),
        Value::Double(value) if value.is_finite() => format!("{value:.PRECISION$}"),
        Value::Double(value) => format!("\"{}\"", double(*value)),
        Value::List(items) => {
            let items: Result<Vec<String>, Refused> = items.iter().map(|item| nested(&item)).collect();
            format!("[{}]", items?.join(", "))
        }
        Value::Map(entries) => {
            let mut written = Vec::new();
            for (key, value) in entries.entries() {
                if !matches!(key, Value::Text(_) | Value::Boolean(_) | Value::Integer(_) | Value::Unsigned(_)) {
                    let kind = key.type_name();
                    return Err(format!("no formatting function for map key of type {kind}"));
                }
                written.push((nested(&key)?, nested(&value)?));
            }
            written.sort_by(|(one, _), (other, _)| one.cmp(other));
            let written: Vec<String> = written.into_iter().map(|(key, value)| format!("{key}:{value}")).collect();
            format!("{{{}}}", written.join(", "))
        }
        value if is_refused(value) => return Err(format!("no formatting function for {}", value.type_name())),
        value => shown(value),
    })
}

/// A Go string literal.
fn quoted(text: &str) -> String {
    quoted_by(text, |character, quoted| match character {
        control if control.is_ascii_control() => quoted.push_str(&format!("\\x{:02x}", u32::from(control))),
        plain => quoted.push(plain),
    })
}

fn decimal(value: &Value<'_>) -> Written {
    match value {
        Value::Integer(_) | Value::Unsigned(_) => Ok(shown(value)),
        other => Err(wrong("decimal", "integers", other)),
    }
}

/// A number, also one that is written as a text: `NaN`, `Infinity`, `-Infinity`.
fn floating(value: &Value<'_>, clause: &str) -> Result<f64, Refused> {
    match value {
        Value::Double(value) => Ok(*value),
        Value::Text(text) if &**text == "NaN" => Ok(f64::NAN),
        Value::Text(text) if &**text == "Infinity" => Ok(f64::INFINITY),
        Value::Text(text) if &**text == "-Infinity" => Ok(f64::NEG_INFINITY),
        other => Err(wrong(clause, "doubles", other)),
    }
}

/// The text of a number that does not have digits.
fn without_digits(value: f64) -> Option<&'static str> {
    match value {
        value if value.is_nan() => Some("NaN"),
        f64::INFINITY => Some("∞"),
        f64::NEG_INFINITY => Some("-∞"),
        _ => None,
    }
}

fn fixed(value: &Value<'_>, precision: usize) -> Written {
    let value = floating(value, "fixed-point")?;
    if let Some(text) = without_digits(value) {
        return Ok(text.to_owned());
    }
    let digits = format!("{:.precision$}", value.abs());
    let (whole, fraction) = digits.split_once('.').unwrap_or((&digits, ""));
    let (sign, point) = (if value < 0.0 { "-" } else { "" }, if fraction.is_empty() { "" } else { "." });
    Ok([sign, &separated(whole), point, fraction].concat())
}

/// Digits with a comma between every three.
pub(crate) fn separated(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn scientific(value: &Value<'_>, precision: usize) -> Written {
    let value = floating(value, "scientific")?;
    if let Some(text) = without_digits(value) {
        return Ok(format!("{text:>precision$}"));
    }
    let digits = if precision == 0 { PRECISION } else { precision };
    let written = format!("{value:.digits$e}");
    let (digits, exponent) = written.split_once('e').unwrap_or((&written, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let raised: String = format!("{:02}", exponent.abs())
        .chars()
        .map(|digit| {
            ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][digit.to_digit(10).unwrap_or_default() as usize]
        })
        .collect();
    Ok(format!("{digits}×10{}{raised}", if exponent < 0 { "⁻" } else { "" }))
}

/// An integer in another base.
fn whole(value: &Value<'_>, write: impl Fn(u64) -> String) -> Option<String> {
    match value {
        Value::Integer(value) if *value < 0 => Some(format!("-{}", write(value.unsigned_abs()))),
        Value::Integer(value) => Some(write(value.unsigned_abs())),
        Value::Unsigned(value) => Some(write(*value)),
        _ => None,
    }
}

fn binary(value: &Value<'_>) -> Written {
    if let Value::Boolean(value) = value {
        return Ok(u8::from(*value).to_string());
    }
    whole(value, |digits| format!("{digits:b}"))
        .ok_or_else(|| format!("only integers and bools can be formatted as binary, was given {}", value.type_name()))
}

fn octal(value: &Value<'_>) -> Written {
    whole(value, |digits| format!("{digits:o}")).ok_or_else(|| wrong("octal", "integers", value))
}

fn hexadecimal(value: &Value<'_>) -> Written {
    let of_bytes = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    match value {
        Value::Text(text) => Ok(of_bytes(text.as_bytes())),
        Value::Bytes(bytes) => Ok(of_bytes(bytes)),
        value => whole(value, |digits| format!("{digits:x}")).ok_or_else(|| {
            let given = value.type_name();
            format!("only integers, byte buffers, and strings can be formatted as hex, was given {given}")
        }),
    }
}
