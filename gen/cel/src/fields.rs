//! The fields that rules can read, and how CEL writes their names.
//!
//! Invariants: both directions are those of the API server: `escape` returns nothing for a name that rules cannot write, and `property`
//! finds exactly the properties whose escaped name was written, or whose name is a reserved word written as it is (servers since 1.31
//! read `self.namespace` and `self.__namespace__`).

use std::borrow::Cow;

use super::parser::RESERVED;
use crd_model::Properties;
use crd_model::schema::{AdditionalProperties, Schema};

/// What rules can read of every resource.
pub(super) const OF_RESOURCE: [&str; 3] = ["apiVersion", "kind", "metadata"];
/// What rules can read of the metadata of a resource.
pub(super) const OF_METADATA: [&str; 2] = ["generateName", "name"];

/// The escapes of characters that CEL names cannot have.
const ESCAPES: [(&str, &str); 4] = [("__", "__underscores__"), (".", "__dot__"), ("-", "__dash__"), ("/", "__slash__")];

/// The property as a rule writes it; nothing if rules cannot write it.
pub fn escape(property: &str) -> Option<Cow<'_, str>> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'/');
    if property.is_empty() || property.as_bytes()[0].is_ascii_digit() || !property.bytes().all(allowed) {
        return None;
    }
    if RESERVED.binary_search(&property).is_ok() {
        return Some(Cow::Owned(format!("__{property}__")));
    }
    if !property.contains("__") && property.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return Some(Cow::Borrowed(property));
    }
    Some(Cow::Owned(replaced(property, ESCAPES)))
}

/// The property that a name in a rule selects.
pub(super) fn property<'n>(properties: &'n Properties, written: &str) -> Option<(&'n str, &'n Schema)> {
    if is_written_as_named(written) {
        return properties.get_key_value(written).map(|(name, schema)| (&**name, schema));
    }
    let (name, schema) = properties.get_key_value(unescaped(written).as_ref())?;
    // The other direction decides: the property `a__b` is written `a__underscores__b`, and a name in backticks cannot have the
    // characters that have an escape.
    let meant = RESERVED.binary_search(&written).is_ok() || escape(name).is_some_and(|escaped| escaped == written);
    meant.then_some((name, schema))
}

/// The name that a server looks up for a key of an object: nothing where the key has two underscores that are not part of an escape.
pub(super) fn looked_up(key: &str) -> Option<Cow<'_, str>> {
    let name = unescaped(key);
    if let Cow::Owned(_) = name {
        let rest = ESCAPES.iter().fold(key.to_owned(), |rest, (_, escape)| rest.replace(escape, ""));
        return (!has_pair(&rest)).then_some(name);
    }
    Some(name)
}

/// The name without escapes.
pub(super) fn unescaped(written: &str) -> Cow<'_, str> {
    // The word of a name such as `__namespace__`.
    let word = written.strip_prefix("__").and_then(|word| word.strip_suffix("__"));
    match word.filter(|word| RESERVED.binary_search(word).is_ok()) {
        Some(word) => Cow::Borrowed(word),
        None if !written.contains("__") => Cow::Borrowed(written),
        None => Cow::Owned(replaced(written, ESCAPES.map(|(plain, escaped)| (escaped, plain)))),
    }
}

/// Whether a text has two underscores, one or more other characters, and two underscores again.
fn has_pair(text: &str) -> bool {
    let Some((_, after)) = text.split_once("__") else { return false };
    after.get(1..).is_some_and(|after| after.contains("__"))
}

/// Whether only the property of the same name can be meant: most names. Reserved words are among them.
fn is_written_as_named(written: &str) -> bool {
    let bytes = written.as_bytes();
    let is_plain = |(index, byte): (usize, &u8)| match byte {
        b'_' => bytes.get(index + 1) != Some(&b'_'),
        b'0'..=b'9' => index > 0,
        byte => byte.is_ascii_alphabetic(),
    };
    !bytes.is_empty() && bytes.iter().enumerate().all(is_plain)
}

/// The text with the first of each pair replaced by the second, from left to right.
fn replaced(text: &str, pairs: [(&str, &str); 4]) -> String {
    let mut result = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let pair = pairs.iter().find_map(|(from, to)| Some((rest.strip_prefix(from)?, to)));
        if let Some((after, to)) = pair {
            result.push_str(to);
            rest = after;
        } else {
            result.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    result
}

/// Whether rules can read a value with this schema: it needs a type, and so do its items or values.
pub fn is_visible(schema: &Schema) -> bool {
    let mut schema = schema;
    loop {
        if schema.int_or_string {
            return true;
        }
        schema = match (schema.kind.as_deref(), &schema.additional_properties, &schema.items) {
            (Some("object"), Some(AdditionalProperties::Values(values)), _) => values,
            (Some("array"), _, Some(items)) => items,
            (Some("object" | "string" | "boolean" | "integer" | "number"), ..) => return true,
            _ => return false,
        };
    }
}

/// Whether the schema of a resource describes `apiVersion`, `kind` and `metadata` itself. If not, the server's description counts.
pub(super) fn describes_resource(schema: &Schema) -> bool {
    let is = |properties: &Properties, name: &str, kind: &str| {
        properties.get(name).is_some_and(|property| property.kind.as_deref() == Some(kind))
    };
    let properties = &schema.properties;
    is(properties, "kind", "string")
        && is(properties, "apiVersion", "string")
        && is(properties, "metadata", "object")
        && properties.get("metadata").is_some_and(|metadata| {
            is(&metadata.properties, "name", "string") && is(&metadata.properties, "generateName", "string")
        })
}

#[cfg(test)]
mod tests {
    use super::{escape, property};
    use crd_model::schema::Schema;

    #[test]
    fn names_are_escaped_as_the_api_server_does() {
        // The table in the documentation of the API server, and its corner cases.
        let table = [
            ("name", Some("name")),
            ("_name", Some("_name")),
            ("namespace", Some("__namespace__")),
            ("in", Some("__in__")),
            ("x-prop", Some("x__dash__prop")),
            ("redact__d", Some("redact__underscores__d")),
            ("a___b", Some("a__underscores___b")),
            ("_-", Some("___dash__")),
            ("string", Some("string")),
            ("a.b/c", Some("a__dot__b__slash__c")),
            ("-", Some("__dash__")),
            ("__dash__", Some("__underscores__dash__underscores__")),
            ("namespaces", Some("namespaces")),
            ("", None),
            ("9lives", None),
            ("café", None),
            ("a b", None),
            ("$ref", None),
        ];
        for (name, expected) in table {
            assert_eq!(escape(name).as_deref(), expected, "{name}");
            let properties =
                [(crd_model::schema::Text::Owned(name.to_owned()), Schema::default())].into_iter().collect();
            if let Some(written) = expected {
                assert_eq!(property(&properties, written).map(|(found, _)| found), Some(name), "{written}");
            }
            let as_it_is = property(&properties, name).is_some();
            assert_eq!(as_it_is, expected == Some(name) || ["namespace", "in"].contains(&name), "{name}");
        }
    }
}
