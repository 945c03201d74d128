//! Writing of documents: one event interface for everything that has a canonical key order.
//!
//! Invariants: a sink receives exactly one value per key and per list item, and a map's keys arrive in ascending byte order, so
//! that equal inputs become equal bytes, for any features of `serde_json` that other dependencies enable.

use std::fmt::Write as _;

use serde::{Serialize, Serializer};
use serde_json::{Map, Number, Value};

/// The version of the schema of a document: see `docs/reference/outputs.md`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SchemaVersion<const VERSION: u32>;

impl<const VERSION: u32> Serialize for SchemaVersion<VERSION> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(VERSION)
    }
}

#[cfg(feature = "schema")]
impl<const VERSION: u32> schemars::JsonSchema for SchemaVersion<VERSION> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "SchemaVersion".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "description": "The version of the schema of this document.", "const": VERSION })
    }
}

/// A text in a document: null if it is empty.
///
/// # Errors
/// Those of the serializer.
pub fn text_or_null<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    Some(text).filter(|text| !text.is_empty()).serialize(serializer)
}

/// Kubernetes minors (1.x) in a document: `1.36`.
///
/// # Errors
/// Those of the serializer.
pub fn minors<S: Serializer>(minors: &impl AsRef<[u32]>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(minors.as_ref().iter().map(|minor| format!("1.{minor}")))
}

/// A Kubernetes minor (1.x) in a document.
///
/// # Errors
/// Those of the serializer.
pub fn minor<S: Serializer>(minor: &u32, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("1.{minor}"))
}

/// Receives a document as a sequence of events.
pub trait Sink {
    /// Opens a map. Keys follow by [`Sink::key`], each followed by exactly one value.
    fn begin_map(&mut self);
    /// The key of the value that comes next.
    fn key(&mut self, key: &str);
    /// Closes the innermost map.
    fn end_map(&mut self);
    /// Opens a list. Each value announced by [`Sink::item`] is one item.
    fn begin_list(&mut self);
    /// Announces the next item of the innermost list.
    fn item(&mut self);
    /// Closes the innermost list.
    fn end_list(&mut self);
    fn string(&mut self, value: &str);
    fn number(&mut self, value: &Number);
    fn boolean(&mut self, value: bool);
    fn null(&mut self);
}

/// Sends a JSON value with its keys in ascending order.
pub fn send_value(value: &Value, sink: &mut dyn Sink) {
    match value {
        Value::Null => sink.null(),
        Value::Bool(boolean) => sink.boolean(*boolean),
        Value::Number(number) => sink.number(number),
        Value::String(text) => sink.string(text),
        Value::Array(items) => {
            sink.begin_list();
            for item in items {
                sink.item();
                send_value(item, sink);
            }
            sink.end_list();
        }
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort_unstable();
            sink.begin_map();
            for key in keys {
                sink.key(key);
                send_value(&map[key], sink);
            }
            sink.end_map();
        }
    }
}

/// Sends an entry of a map whose value is a string.
pub(crate) fn send_text(sink: &mut dyn Sink, key: &str, value: &str) {
    sink.key(key);
    sink.string(value);
}

/// How the compact JSON writer treats `&`, `<` and `>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HtmlCharacters {
    /// Written as they are.
    Plain,
    /// Written as `\u0026`, `\u003c` and `\u003e`, as Go's encoder does: the form of kubectl's
    /// `last-applied-configuration` annotation, whose length is limited to 262,144 bytes.
    Escaped,
}

/// Writes compact JSON: no white space, keys in the order of the events.
#[derive(Debug)]
pub struct JsonWriter {
    text: String,
    html: HtmlCharacters,
    needs_comma: Vec<bool>,
}

impl JsonWriter {
    /// A writer with an empty document.
    pub fn new(html: HtmlCharacters) -> Self {
        Self { text: String::new(), html, needs_comma: Vec::new() }
    }

    /// The document written so far.
    pub fn finish(self) -> String {
        self.text
    }

    fn comma(&mut self) {
        if let Some(needed) = self.needs_comma.last_mut() {
            if *needed {
                self.text.push(',');
            }
            *needed = true;
        }
    }

    fn quoted(&mut self, value: &str) {
        let is_html = self.html == HtmlCharacters::Escaped;
        push_quoted(&mut self.text, value, |character| match character {
            '&' | '<' | '>' | '\u{2028}' | '\u{2029}' => is_html,
            other => other < ' ',
        });
    }
}

/// The bytes of a document as compact JSON of Go.
pub fn json_bytes(send: impl FnOnce(&mut dyn Sink)) -> usize {
    let mut writer = JsonWriter::new(HtmlCharacters::Escaped);
    send(&mut writer);
    writer.finish().len()
}

/// Appends a string in double quotes, with the escapes of JSON and those that are asked for.
pub(crate) fn push_quoted(text: &mut String, value: &str, is_escaped: impl Fn(char) -> bool) {
    text.push('"');
    for character in value.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            // Writing to a String cannot fail.
            other if is_escaped(other) => {
                let _ = write!(text, "\\u{:04x}", u32::from(other));
            }
            other => text.push(other),
        }
    }
    text.push('"');
}

impl Sink for JsonWriter {
    fn begin_map(&mut self) {
        self.text.push('{');
        self.needs_comma.push(false);
    }
    fn key(&mut self, key: &str) {
        self.comma();
        self.quoted(key);
        self.text.push(':');
    }
    fn end_map(&mut self) {
        self.needs_comma.pop();
        self.text.push('}');
    }
    fn begin_list(&mut self) {
        self.text.push('[');
        self.needs_comma.push(false);
    }
    fn item(&mut self) {
        self.comma();
    }
    fn end_list(&mut self) {
        self.needs_comma.pop();
        self.text.push(']');
    }
    fn string(&mut self, value: &str) {
        self.quoted(value);
    }
    fn number(&mut self, value: &Number) {
        let _ = write!(self.text, "{value}");
    }
    fn boolean(&mut self, value: bool) {
        self.text.push_str(if value { "true" } else { "false" });
    }
    fn null(&mut self) {
        self.text.push_str("null");
    }
}

/// Builds a [`serde_json::Value`].
#[derive(Debug, Default)]
pub struct ValueBuilder {
    open: Vec<(Value, Option<String>)>,
    root: Option<Value>,
}

impl ValueBuilder {
    /// The value built; `Value::Null` when nothing was sent.
    pub fn finish(self) -> Value {
        self.root.unwrap_or(Value::Null)
    }

    fn put(&mut self, value: Value) {
        match self.open.last_mut() {
            Some((Value::Object(map), key)) => {
                map.insert(key.take().unwrap_or_default(), value);
            }
            Some((Value::Array(items), _)) => items.push(value),
            _ => self.root = Some(value),
        }
    }

    fn close(&mut self) {
        if let Some((value, _)) = self.open.pop() {
            self.put(value);
        }
    }
}

impl Sink for ValueBuilder {
    fn begin_map(&mut self) {
        self.open.push((Value::Object(Map::new()), None));
    }
    fn key(&mut self, key: &str) {
        if let Some((_, pending)) = self.open.last_mut() {
            *pending = Some(key.to_owned());
        }
    }
    fn end_map(&mut self) {
        self.close();
    }
    fn begin_list(&mut self) {
        self.open.push((Value::Array(Vec::new()), None));
    }
    fn item(&mut self) {}
    fn end_list(&mut self) {
        self.close();
    }
    fn string(&mut self, value: &str) {
        self.put(Value::String(value.to_owned()));
    }
    fn number(&mut self, value: &Number) {
        self.put(Value::Number(value.clone()));
    }
    fn boolean(&mut self, value: bool) {
        self.put(Value::Bool(value));
    }
    fn null(&mut self) {
        self.put(Value::Null);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_survive_the_builder_and_the_json_writer() {
        let value = json!({"b": [1, 2.5, null, true, {"x": "a\"\\\n\u{1}é"}], "a": {}, "c": []});
        let mut builder = ValueBuilder::default();
        send_value(&value, &mut builder);
        assert_eq!(builder.finish(), value);
        let mut writer = JsonWriter::new(HtmlCharacters::Plain);
        send_value(&value, &mut writer);
        let text = writer.finish();
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        assert!(text.starts_with("{\"a\":{},\"b\":["), "{text}");
    }

    #[test]
    fn html_characters_are_escaped_as_kubectl_does() {
        let mut writer = JsonWriter::new(HtmlCharacters::Escaped);
        send_value(&json!("a<b && c>d"), &mut writer);
        assert_eq!(writer.finish(), r#""a\u003cb \u0026\u0026 c\u003ed""#);
    }
}
