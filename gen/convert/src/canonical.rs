//! One text for equal values, and its digest.
//!
//! Invariants: keys are sorted, also where another crate turns on `preserve_order` of serde_json. Values are at most [`DEEPEST`] levels deep
//! here: callers check that first.

use std::fmt::Write as _;

use serde_json::Value;

/// Levels of an object at most. serde_json reads 128, and conversion data adds a few.
pub const DEEPEST: usize = 100;

/// Whether a value has more than so many levels.
pub(crate) fn is_deeper(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(_) | Value::Object(_) if levels == 0 => true,
        Value::Array(items) => items.iter().any(|item| is_deeper(item, levels - 1)),
        Value::Object(object) => object.values().any(|value| is_deeper(value, levels - 1)),
        _ => false,
    }
}

/// A value as compact JSON with sorted keys.
pub(crate) fn json(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                text.push_str(if index == 0 { "" } else { "," });
                write(item, text);
            }
            text.push(']');
        }
        Value::Object(object) => {
            let mut entries: Vec<_> = object.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| *key);
            text.push('{');
            for (index, (key, value)) in entries.into_iter().enumerate() {
                let comma = if index == 0 { "" } else { "," };
                // Writing to a string does not fail.
                let _ = write!(text, "{comma}{}:", Value::from(key.as_str()));
                write(value, text);
            }
            text.push('}');
        }
        scalar => {
            let _ = write!(text, "{scalar}");
        }
    }
}

/// The digest of a value: FNV-1a with 128 bits, in 32 hexadecimal digits. It detects changes by users; it is not a signature.
pub(crate) fn digest(value: &Value) -> String {
    let mut hash: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    for byte in json(value).bytes() {
        hash = (hash ^ u128::from(byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b);
    }
    format!("{hash:032x}")
}
