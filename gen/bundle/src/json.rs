//! JSON that programs in Go read too: indices, manifests, signatures, statements, lists of software.
//!
//! `encoding/json` ignores the case of keys, and takes the last of those that are equal. This reader would take another one, so that what it
//! verifies is not what those programs use.
//!
//! Invariants: no object has two keys that are equal in any case, and no key is one of the names of fields in other case. What the reader accepts has one
//! meaning for both.

use std::collections::HashMap;
use std::fmt;

use serde::Deserializer;
use serde::de::{DeserializeOwned, DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};

/// The fields of the documents that are read, as they are written. A key such as `Subject` is unknown here, and is the field for programs in Go.
const NAMES: [&str; 34] = [
    "_type",
    "algorithm",
    "annotations",
    "artifactType",
    "certificate",
    "config",
    "data",
    "digest",
    "dsseEnvelope",
    "hint",
    "imageLayoutVersion",
    "keyid",
    "layers",
    "manifests",
    "mediaType",
    "messageDigest",
    "messageSignature",
    "name",
    "payload",
    "payloadType",
    "platform",
    "predicate",
    "predicateType",
    "publicKey",
    "schemaVersion",
    "sha256",
    "sig",
    "signature",
    "signatures",
    "size",
    "subject",
    "tags",
    "urls",
    "verificationMaterial",
];

/// The fields whose keys are the author's.
const MAPS: [&str; 2] = ["annotations", "predicate"];

/// Reads a document.
///
/// # Errors
/// It is something else, or programs in Go could read something else.
pub fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, serde_json::Error> {
    Keys { has_names: true }.deserialize(&mut serde_json::Deserializer::from_slice(bytes))?;
    serde_json::from_slice(bytes)
}

/// Checks a document of any fields.
///
/// # Errors
/// It is not JSON, or programs in Go could read something else.
pub fn check(bytes: &[u8]) -> Result<(), serde_json::Error> {
    let mut document = serde_json::Deserializer::from_slice(bytes);
    Keys { has_names: false }.deserialize(&mut document)?;
    document.end()
}

/// A key as Go compares it: `unicode.SimpleFold`, and a little more.
fn folded(key: &str) -> String {
    // `ẞ` is `ß` in lower case, and that `SS` in upper case.
    key.to_lowercase().to_uppercase().to_lowercase()
}

/// The keys of a value and of all below it.
#[derive(Clone, Copy)]
struct Keys {
    /// Whether a key can be one of [`NAMES`].
    has_names: bool,
}

impl<'de> DeserializeSeed<'de> for Keys {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        value.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Keys {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(self)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        let mut known = HashMap::new();
        while let Some(key) = object.next_key::<String>()? {
            let folded = folded(&key);
            let name = NAMES.iter().filter(|_| self.has_names).find(|name| name.to_lowercase() == folded);
            if let Some(name) = name.filter(|name| **name != key) {
                return Err(A::Error::custom(format!("the key {key:?} is {name:?} for programs in Go")));
            }
            let has_names = self.has_names && !MAPS.contains(&&*key);
            if let Some(other) = known.insert(folded, key.clone()) {
                return Err(A::Error::custom(format!(
                    "the keys {other:?} and {key:?} are the same for programs in Go"
                )));
            }
            object.next_value_seed(Self { has_names })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::*;

    /// `encoding/json` for a struct with these fields, of a text in which keys can be repeated: the last one of any case. A key is a list of
    /// characters and their simple folding, as `unicode.SimpleFold` has it for the letters of [`NAMES`].
    fn as_go_reads(pairs: &[(String, Value)]) -> Map<String, Value> {
        let simple = |key: &str| {
            let fold = |letter| match letter {
                'ſ' => 's',
                '\u{212A}' => 'k',
                other => other.to_ascii_lowercase(),
            };
            key.chars().map(fold).collect::<String>()
        };
        let mut read = Map::new();
        for (key, value) in pairs {
            if let Some(name) = NAMES.iter().find(|name| simple(name) == simple(key)) {
                read.insert((*name).to_owned(), value.clone());
            }
        }
        read
    }

    fn text(pairs: &[(String, Value)]) -> String {
        let pairs = pairs.iter().map(|(key, value)| format!("{}: {value}", json!(key)));
        format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
    }

    fn capital(name: &str) -> String {
        name.chars().next().map_or(String::new(), |first| first.to_uppercase().collect::<String>() + &name[1..])
    }

    /// Each field in each spelling, before and after the field, alone, and escaped: what is accepted has one meaning.
    #[test]
    fn what_is_read_is_what_go_reads() {
        let mut refused = 0;
        for name in NAMES {
            let spellings = [
                name.to_owned(),
                name.to_uppercase(),
                name.to_lowercase(),
                capital(name),
                name.replace('s', "ſ"),
                name.replace('k', "\u{212A}"),
            ];
            let pair = |key: &str, value: i32| (key.to_owned(), json!(value));
            for other in &spellings {
                for pairs in [
                    vec![pair(name, 1), pair(other, 2)],
                    vec![pair(other, 2), pair(name, 1)],
                    vec![pair(other, 2), pair("else", 0), pair(name, 1), pair("Else", 0)],
                    vec![pair(other, 2)],
                ] {
                    let text = text(&pairs);
                    match read::<Map<String, Value>>(text.as_bytes()) {
                        Ok(read) => assert_eq!(read, as_go_reads(&pairs), "{text}"),
                        Err(_) => refused += 1,
                    }
                    for outer in [format!("[{text}]"), format!(r#"{{"a": [{{"b": {text}}}]}}"#)] {
                        let is_same = read::<Value>(outer.as_bytes()).is_ok() == read::<Value>(text.as_bytes()).is_ok();
                        assert!(is_same, "{outer}");
                    }
                }
            }
        }
        assert!(refused > 3 * NAMES.len(), "{refused}");
    }

    #[test]
    fn keys_that_are_equal_in_any_case_are_refused() {
        for text in [
            r#"{"a": 1, "a": 1}"#,
            r#"{"a": 1, "A": 1}"#,
            r#"{"a": 1, "\u0061": 1}"#,
            r#"{"annotations": {"a/Tag": "1", "a/tag": "2"}}"#,
            r#"{"predicate": {"é": 1, "É": 2}}"#,
            r#"{"ß": 1, "ẞ": 2}"#,
            r#"{"σ": 1, "ς": 2}"#,
            r#"[[{"x": {"k": 1, "K": 2}}]]"#,
        ] {
            assert!(check(text.as_bytes()).is_err() && read::<Value>(text.as_bytes()).is_err(), "{text}");
        }
        for text in [
            "",
            "{",
            "{} {}",
            "nul",
            "[1, 2",
            "\u{FEFF}{}",
            r#"{"a": 1} {"a": 2}"#,
            &format!("{}{}", "[".repeat(200), "]".repeat(200)),
        ] {
            assert!(check(text.as_bytes()).is_err() && read::<Value>(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn the_names_of_authors_can_have_any_case() {
        for text in [
            r#"{"annotations": {"Name": "1", "config": "2", "com.example/Size": "3"}}"#,
            r#"{"predicate": {"Subject": [{"Digest": {"SHA256": ""}}]}}"#,
            r#"[{"a": 1}, {"A": 1}, true, null, -1, 1.5, 18446744073709551615, "a"]"#,
        ] {
            assert!(check(text.as_bytes()).is_ok() && read::<Value>(text.as_bytes()).is_ok(), "{text}");
        }
        assert!(check(br#"{"Config": {"Size": 1}}"#).is_ok());
        assert!(read::<Value>(br#"{"Config": {"Size": 1}}"#).is_err());
    }
}
