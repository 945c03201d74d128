//! JSON texts: their objects, also those in lists, with the bytes of each.
//!
//! Invariants: what is read here is read as the YAML reader reads it, and many times as fast. Repeated keys, and whatever is not JSON, are left
//! to that reader, which reports the position of each error.

use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// The bytes of the objects of a text, those of lists one by one; none if the text is not JSON, or has a typed list.
pub(crate) fn objects(text: &str) -> Option<Vec<Range<usize>>> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(start) = text.get(at..)?.bytes().position(|byte| !byte.is_ascii_whitespace()) {
        let start = at + start;
        at = start + value_length(&text.as_bytes()[start..]);
        let part = text.get(start..at).filter(|part| part.starts_with('{'))?;
        let top: Top = serde_json::from_str(part).ok()?;
        // The items of a typed list need not repeat its type.
        if top.kind != "List" && top.kind.ends_with("List") {
            return None;
        }
        match list_of(part, "items").filter(|_| top.kind == "List") {
            Some(list) => {
                let items = items(&part[list..]).into_iter();
                found.extend(items.map(|item| start + list + item.start..start + list + item.end));
            }
            None => found.push(start..at),
        }
    }
    Some(found)
}

/// A value without repeated keys; none if it has some.
pub(crate) fn read(text: &str) -> Option<Value> {
    serde_json::from_str::<Unrepeated>(text).ok().map(|read| read.0)
}

/// The bytes of the items of a list that begins here, relative to the text. The text is valid JSON, or a flow list of YAML whose quotes are those of
/// JSON.
fn items(text: &str) -> Vec<Range<usize>> {
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
fn list_of(text: &str, key: &str) -> Option<usize> {
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

/// The top of a document without repeated keys.
struct Top {
    /// Empty if it has none.
    kind: String,
}

impl<'de> Deserialize<'de> for Top {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(TopVisitor)
    }
}

struct TopVisitor;

impl<'de> Visitor<'de> for TopVisitor {
    type Value = Top;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Top, A::Error> {
        let (mut keys, mut top) = (Vec::new(), Top { kind: String::new() });
        while let Some(key) = entries.next_key::<String>()? {
            if keys.contains(&key) {
                return Err(A::Error::custom("the key is repeated"));
            }
            match key.as_str() {
                "kind" => {
                    let Unrepeated(kind) = entries.next_value()?;
                    kind.as_str().unwrap_or_default().clone_into(&mut top.kind);
                }
                // Objects are read later, one by one.
                _ => drop(entries.next_value::<IgnoredAny>()?),
            }
            keys.push(key);
        }
        Ok(top)
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
