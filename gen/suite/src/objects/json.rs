//! JSON texts: their objects, also those in lists, with the bytes of each.
//!
//! Invariants: what is read here is read as the YAML reader reads it, and many times as fast. Repeated keys, and whatever is not JSON, are left
//! to that reader, which reports the position of each error.

use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// The bytes of the objects of a text, those of lists one by one; none if the text is evidently not JSON, has a typed list, or nests lists deeply.
/// The objects themselves are not checked: [`read`] does that.
pub(crate) fn objects(text: &str) -> Option<Vec<Range<usize>>> {
    let (mut found, mut at) = (Vec::new(), 0);
    loop {
        at = after_space(text.as_bytes(), at);
        if at == text.len() {
            return Some(found);
        }
        let end = at + value_length(&text.as_bytes()[at..]);
        add(text, at..end, MOST_LISTS, &mut found)?;
        at = end;
    }
}

/// How deep lists are in lists at most. Every level is read again.
const MOST_LISTS: usize = 8;

/// Adds a document, or the items of a list. Recurses into lists of lists.
fn add(text: &str, bytes: Range<usize>, lists: usize, found: &mut Vec<Range<usize>>) -> Option<()> {
    let part = text.get(bytes.clone()).filter(|part| part.starts_with('{'))?;
    // Most objects are not lists, and are read once, by `read`. Without this word and without escapes, no `kind` ends with it.
    if !part.contains('\\') && !part.contains("List") {
        found.push(bytes);
        return Some(());
    }
    let Top { kind, items } = Top::at(text, bytes.clone())?;
    if !kind.ends_with("List") {
        found.push(bytes);
        return Some(());
    }
    // The items of a typed list need not repeat its type.
    let (list, items) = items.filter(|_| kind == "List" && lists > 0)?;
    // What is around the items has no repeated keys either.
    read(&[text.get(bytes.start..list.start)?, "[]", text.get(list.end..bytes.end)?].concat())?;
    items.into_iter().try_for_each(|item| add(text, item, lists - 1, found))
}

/// A value without repeated keys; none if it has some.
pub(crate) fn read(text: &str) -> Option<Value> {
    serde_json::from_str::<Unrepeated>(text).ok().map(|read| read.0)
}

/// The top of a document, which is an object.
struct Top {
    /// Empty if it has none.
    kind: String,
    /// The value of `items`, if that is a list, and its items.
    items: Option<(Range<usize>, Vec<Range<usize>>)>,
}

impl Top {
    /// The document with these bytes; none if it is evidently not a JSON object.
    fn at(text: &str, document: Range<usize>) -> Option<Self> {
        let bytes = text.as_bytes();
        let string = |range: Range<usize>| serde_json::from_str::<String>(text.get(range)?).ok();
        let (mut kind, mut items) = (String::new(), None);
        let end = parts(bytes, document.start, *b"{}", |at| {
            let key = at..at + value_length(&bytes[at..]);
            let colon = after_space(bytes, key.end);
            bytes.get(colon).filter(|byte| **byte == b':')?;
            let at = after_space(bytes, colon + 1);
            let key = string(key)?;
            if key == "items" && bytes.get(at) == Some(&b'[') {
                let mut found = Vec::new();
                let end = parts(bytes, at, *b"[]", |at| {
                    let end = at + value_length(&bytes[at..]);
                    found.push(at..end);
                    Some(end)
                })?;
                items = Some((at..end, found));
                return Some(end);
            }
            let end = at + value_length(&bytes[at..]);
            if key == "kind" {
                kind = string(at..end).unwrap_or_default();
            }
            Some(end)
        })?;
        (end == document.end).then_some(Self { kind, items })
    }
}

/// Walks over the parts of the object or list that begins here. `part` returns the end of a part. Returns the end of the value; none if its
/// brackets and commas are not those of JSON.
fn parts(bytes: &[u8], start: usize, brackets: [u8; 2], mut part: impl FnMut(usize) -> Option<usize>) -> Option<usize> {
    let [begin, end] = brackets;
    bytes.get(start).filter(|byte| **byte == begin)?;
    let mut at = after_space(bytes, start + 1);
    if bytes.get(at) == Some(&end) {
        return Some(at + 1);
    }
    loop {
        at = after_space(bytes, part(at)?);
        match bytes.get(at)? {
            b',' => at = after_space(bytes, at + 1),
            byte if *byte == end => return Some(at + 1),
            _ => return None,
        }
    }
}

/// The next byte that is not white space.
fn after_space(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).unwrap_or(rest.len())
}

/// How many bytes the value has that begins here. The text is JSON, or a flow object of YAML whose quotes are those of JSON.
pub(crate) fn value_length(bytes: &[u8]) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at += string_length(&bytes[at..]),
            b'{' | b'[' => (depth, at) = (depth + 1, at + 1),
            b'}' | b']' if depth == 0 => break,
            b'}' | b']' => (depth, at) = (depth - 1, at + 1),
            byte if depth == 0 && (*byte == b',' || byte.is_ascii_whitespace()) => break,
            _ if depth == 0 => at += 1,
            _ => at += bytes[at..].iter().position(|byte| IS_STRUCTURE[usize::from(*byte)]).unwrap_or(bytes.len() - at),
        }
        if depth == 0 && matches!(byte, b'"' | b'}' | b']') {
            break;
        }
    }
    at
}

/// Quotes and brackets.
const IS_STRUCTURE: [bool; 256] = {
    let mut is_structure = [false; 256];
    let mut at = 0;
    while at < 256 {
        is_structure[at] = matches!(at as u8, b'"' | b'{' | b'}' | b'[' | b']');
        at += 1;
    }
    is_structure
};

fn string_length(bytes: &[u8]) -> usize {
    let mut at = 1;
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.iter().position(|byte| matches!(byte, b'"' | b'\\'))) {
        at += found;
        if bytes[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    bytes.len()
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
