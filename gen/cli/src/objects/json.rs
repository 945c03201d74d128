//! JSON texts: their documents, and the items of lists, with the bytes of each.
//!
//! Invariants: what is read here is read as the YAML reader reads it, and several times as fast. Repeated keys, and whatever is not JSON, are left
//! to that reader, which reports the position of each error.

use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// The documents of a text; none if it is not JSON without repeated keys.
pub(crate) fn documents(text: &str) -> Option<Vec<(Range<usize>, Value)>> {
    if !text.trim_start().starts_with('{') {
        return None;
    }
    let mut documents = Vec::new();
    let mut read = serde_json::Deserializer::from_str(text).into_iter::<Unrepeated>();
    let mut start = 0;
    while let Some(document) = read.next() {
        let end = read.byte_offset();
        start += text.get(start..end)?.len() - text.get(start..end)?.trim_start().len();
        documents.push((start..end, document.ok()?.0));
        start = end;
    }
    Some(documents)
}

/// The bytes of the items of a list that begins here, relative to the text. The text is valid JSON, or a flow list of YAML whose quotes are those of
/// JSON.
pub(crate) fn items(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let (mut found, mut at) = (Vec::new(), 1);
    while let Some(start) = bytes.get(at..).and_then(|rest| rest.iter().position(|byte| !is_between(*byte))) {
        let start = at + start;
        if bytes[start] == b']' {
            break;
        }
        let end = start + value_length(&bytes[start..]);
        found.push(start..end);
        at = end;
    }
    found
}

fn is_between(byte: u8) -> bool {
    byte == b',' || byte.is_ascii_whitespace()
}

/// How many bytes the value has that begins here.
pub(crate) fn value_length(bytes: &[u8]) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at += 1;
                while bytes.get(at).is_some_and(|byte| *byte != b'"') {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            b'{' | b'[' => (depth, at) = (depth + 1, at + 1),
            b'}' | b']' if depth == 0 => break,
            b'}' | b']' => (depth, at) = (depth - 1, at + 1),
            byte if depth == 0 && is_between(*byte) => break,
            _ => at += 1,
        }
        if depth == 0 && matches!(byte, b'"' | b'}' | b']') {
            break;
        }
    }
    at.min(bytes.len())
}

/// The start of the list of a key of the document that begins here, if the document has it at its top.
pub(crate) fn list_of(text: &str, key: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 1;
    loop {
        at += bytes.get(at..)?.iter().position(|byte| !is_between(*byte))?;
        let name = at..at + value_length(bytes.get(at..)?);
        at = name.end + bytes.get(name.end..)?.iter().position(|byte| *byte == b':')? + 1;
        at += bytes.get(at..)?.iter().position(|byte| !byte.is_ascii_whitespace())?;
        if serde_json::from_str::<String>(text.get(name)?).is_ok_and(|name| name == key) {
            return (bytes[at] == b'[').then_some(at);
        }
        at += value_length(&bytes[at..]);
    }
}

/// A value without repeated keys.
struct Unrepeated(Value);

impl<'de> Deserialize<'de> for Unrepeated {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor).map(Unrepeated)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("the number is not finite"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Unrepeated(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some((key, Unrepeated(value))) = entries.next_entry::<String, Unrepeated>()? {
            if map.insert(key, value).is_some() {
                return Err(A::Error::custom("the key is repeated"));
            }
        }
        Ok(Value::Object(map))
    }
}
