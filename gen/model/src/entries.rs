//! Structs whose fields are the entries of a map: one table from which they are declared, written and read.
//!
//! Invariants: entries are written in the order of the table, which is that of their keys; what was written is read as an equal value; everything
//! that cannot be understood is reported with its path.

use serde_json::{Map, Number, Value};

use crate::document::{Sink, send_value};
/// Text that is either a constant of the annotated types or was read from a file.
pub type Text = std::borrow::Cow<'static, str>;

/// A part of a document that could not be understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// Where, in dots and brackets from the top of what was read: `properties.spec.type`.
    pub path: String,
    /// What kind of error.
    pub kind: ReadErrorKind,
    pub message: String,
}

/// What kind of error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadErrorKind {
    /// A key that is not part of the format.
    Unknown,
    /// A keyword of JSON Schema that a structural schema cannot have.
    NotStructural,
    /// A required key is missing.
    Missing,
    /// A value of another kind than expected.
    Unexpected,
    /// A value that counts as absent: `null`, or a keyword that a structural schema cannot have, without content. Only readers of published CRDs
    /// make this distinction: [`crate::CustomResourceDefinition::from_published`].
    Absent,
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.path.is_empty() {
            formatter.write_str(&self.message)
        } else {
            write!(formatter, "{}: {}", self.path, self.message)
        }
    }
}

impl std::error::Error for ReadError {}

/// Reads values and collects what it cannot understand.
#[derive(Default)]
pub(crate) struct Reader {
    pub(crate) path: Vec<String>,
    pub(crate) errors: Vec<ReadError>,
    /// Whether `null` and empty keywords count as absent, as on a server.
    pub(crate) is_published: bool,
}

impl Reader {
    /// Adds an error: a value of another kind than expected.
    pub(crate) fn fail(&mut self, message: impl Into<String>) {
        self.fail_as(ReadErrorKind::Unexpected, message);
    }

    pub(crate) fn fail_as(&mut self, kind: ReadErrorKind, message: impl Into<String>) {
        self.errors.push(ReadError { path: self.path.join("."), kind, message: message.into() });
    }

    pub(crate) fn unknown(&mut self, whole: &str) {
        self.fail_as(ReadErrorKind::Unknown, format!("this is not a {whole}"));
    }

    pub(crate) fn missing(&mut self, key: &str) {
        self.fail_as(ReadErrorKind::Missing, format!("`{key}` is missing"));
    }

    /// Adds that a value counts as absent.
    pub(crate) fn absent(&mut self, what: &str) {
        self.fail_as(ReadErrorKind::Absent, format!("{what}, which counts as absent"));
    }

    /// Whether a value is null where that counts as absent, which is added.
    pub(crate) fn is_absent(&mut self, value: &Value) -> bool {
        let is_absent = self.is_published && value.is_null();
        if is_absent {
            self.absent("the value is null");
        }
        is_absent
    }

    pub(crate) fn at<T>(&mut self, key: impl Into<String>, read: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(key.into());
        let value = read(self);
        self.path.pop();
        value
    }

    /// What was read of a value; without it, the value is of another kind than expected.
    fn expect<T>(&mut self, read: Option<T>, expected: &str, value: &Value) -> Option<T> {
        if read.is_none() && !self.is_absent(value) {
            self.fail(format!("expected {expected}, found {}", kind_of(value)));
        }
        read
    }

    pub(crate) fn object<'v>(&mut self, value: &'v Value) -> Option<&'v Map<String, Value>> {
        self.expect(value.as_object(), "an object", value)
    }

    /// Reads every entry of an object. Another value has none.
    pub(crate) fn entries<'v>(
        &mut self,
        value: &'v Value,
        mut read: impl FnMut(&mut Self, &str, &'v Value),
    ) -> Option<&'v Map<String, Value>> {
        let map = self.object(value)?;
        for (key, value) in map {
            self.at(key.clone(), |reader| read(reader, key, value));
        }
        Some(map)
    }

    pub(crate) fn text(&mut self, value: &Value) -> Option<Text> {
        self.expect(value.as_str(), "a string", value).map(|text| Text::Owned(text.to_owned()))
    }

    pub(crate) fn boolean(&mut self, value: &Value) -> bool {
        self.expect(value.as_bool(), "true or false", value).unwrap_or_default()
    }

    fn integer(&mut self, value: &Value) -> Option<i64> {
        let integer = value.as_i64();
        if integer.is_none() && !self.is_absent(value) {
            self.fail(format!("expected an integer, found {value}"));
        }
        integer
    }

    pub(crate) fn list<T>(&mut self, value: &Value, mut read: impl FnMut(&mut Self, &Value) -> T) -> Vec<T> {
        let Some(items) = self.expect(value.as_array(), "a list", value) else { return Vec::new() };
        items
            .iter()
            .enumerate()
            .map(|(index, item)| self.at(format!("[{index}]"), |reader| read(reader, item)))
            .collect()
    }

    /// Reads a map whose entries are fields. None if the value is not a map. `whole` names what has the keys.
    pub(crate) fn fields<T: Entries>(&mut self, value: &Value, whole: &str, required: &[&str]) -> Option<T> {
        let mut read = T::default();
        let found = self.entries(value, |reader, key, value| {
            if !read.read_entry(reader, key, value) {
                reader.unknown(whole);
            }
        });
        for key in required {
            let is_missing = found.map_or(value.is_null(), |found| found.get(*key).is_none_or(Value::is_null));
            if is_missing {
                self.missing(key);
            }
        }
        found.map(|_| read)
    }
}

/// What kind of JSON value this is, in words for a message.
pub fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// A struct whose fields are the entries of a map; made by [`entries!`].
pub(crate) trait Entries: Default {
    fn send(&self, sink: &mut dyn Sink);

    /// Sends the map without some keys.
    fn send_without(&self, left_out: &[&str], sink: &mut dyn Sink);

    /// Reads the value of a key. False: there is no such key.
    fn read_entry(&mut self, reader: &mut Reader, key: &str, value: &Value) -> bool;
}

/// The table of a struct: each field with its type and its key. A struct that is a part of another one also names what has the
/// keys, and those that it needs.
macro_rules! entries {
    ($(#[$docs:meta])* $name:ident, $whole:literal, $required:expr, { $($fields:tt)* }) => {
        crate::entries::entries! { $(#[$docs])* $name { $($fields)* } }

        impl crate::entries::Part for $name {
            fn send(&self, sink: &mut dyn crate::document::Sink) {
                crate::entries::Entries::send(self, sink);
            }
            fn read(reader: &mut crate::entries::Reader, value: &serde_json::Value) -> Option<Self> {
                let required: fn(&crate::entries::Reader) -> &'static [&'static str] = $required;
                let required = required(reader);
                reader.fields(value, $whole, required)
            }
        }
    };
    ($(#[$docs:meta])* $name:ident { $($(#[$more:meta])* $field:ident: $kind:ty = $key:literal,)* }) => {
        $(#[$docs])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name {
            $(#[doc = concat!("`", $key, "`.")] $(#[$more])* pub $field: $kind,)*
        }

        impl crate::entries::Entries for $name {
            fn send(&self, sink: &mut dyn crate::document::Sink) {
                sink.begin_map();
                $(crate::entries::Entry::send(&self.$field, $key, sink);)*
                sink.end_map();
            }

            fn send_without(&self, left_out: &[&str], sink: &mut dyn crate::document::Sink) {
                sink.begin_map();
                $(if !left_out.contains(&$key) {
                    crate::entries::Entry::send(&self.$field, $key, sink);
                })*
                sink.end_map();
            }

            fn read_entry(&mut self, reader: &mut crate::entries::Reader, key: &str, value: &serde_json::Value) -> bool {
                match key {
                    $($key => self.$field = crate::entries::Entry::read(reader, value),)*
                    _ => return false,
                }
                true
            }
        }
    };
}
pub(crate) use entries;

/// A field that is an entry of a map, and may be left out.
pub(crate) trait Entry {
    /// Sends key and value, unless the entry is left out.
    fn send(&self, key: &str, sink: &mut dyn Sink);

    /// Reads the value. If it is of another kind, that is reported.
    fn read(reader: &mut Reader, value: &Value) -> Self;
}

/// A value of an entry, or of an item of a list.
pub(crate) trait Part: Sized {
    fn send(&self, sink: &mut dyn Sink);

    /// Reads the value. None if it is of another kind, which is reported.
    fn read(reader: &mut Reader, value: &Value) -> Option<Self>;
}

impl<T: Part> Entry for Option<T> {
    fn send(&self, key: &str, sink: &mut dyn Sink) {
        if let Some(value) = self {
            sink.key(key);
            value.send(sink);
        }
    }
    fn read(reader: &mut Reader, value: &Value) -> Self {
        T::read(reader, value)
    }
}

/// An empty list is left out.
impl<T: Part + Default> Entry for Vec<T> {
    fn send(&self, key: &str, sink: &mut dyn Sink) {
        if !self.is_empty() {
            sink.key(key);
            Part::send(self, sink);
        }
    }
    fn read(reader: &mut Reader, value: &Value) -> Self {
        reader.list(value, |reader, item| T::read(reader, item).unwrap_or_default())
    }
}

/// `false` is left out.
impl Entry for bool {
    fn send(&self, key: &str, sink: &mut dyn Sink) {
        self.then_some(true).send(key, sink);
    }
    fn read(reader: &mut Reader, value: &Value) -> Self {
        reader.boolean(value)
    }
}

impl Entry for Text {
    fn send(&self, key: &str, sink: &mut dyn Sink) {
        sink.key(key);
        sink.string(self);
    }
    fn read(reader: &mut Reader, value: &Value) -> Self {
        reader.text(value).unwrap_or_default()
    }
}

impl<T: Part + Default> Part for Vec<T> {
    fn send(&self, sink: &mut dyn Sink) {
        sink.begin_list();
        for item in self {
            sink.item();
            item.send(sink);
        }
        sink.end_list();
    }
    fn read(reader: &mut Reader, value: &Value) -> Option<Self> {
        Some(Entry::read(reader, value))
    }
}

impl<T: Part> Part for Box<T> {
    fn send(&self, sink: &mut dyn Sink) {
        T::send(self, sink);
    }
    fn read(reader: &mut Reader, value: &Value) -> Option<Self> {
        T::read(reader, value).map(Box::new)
    }
}

/// Values that are one event.
macro_rules! parts {
    ($($kind:ty: |$own:ident, $sink:ident| $send:expr, |$reader:ident, $value:ident| $read:expr;)*) => {
        $(impl Part for $kind {
            fn send(&self, $sink: &mut dyn Sink) {
                let $own = self;
                $send;
            }
            fn read($reader: &mut Reader, $value: &Value) -> Option<Self> {
                $read
            }
        })*
    };
}

parts! {
    Text: |own, sink| sink.string(own), |reader, value| reader.text(value);
    bool: |own, sink| sink.boolean(*own), |reader, value| (!reader.is_absent(value)).then(|| reader.boolean(value));
    i64: |own, sink| sink.number(&Number::from(*own)), |reader, value| reader.integer(value);
    Number: |own, sink| sink.number(own), |reader, value| reader.expect(value.as_number(), "a number", value).cloned();
    Value: |own, sink| send_value(own, sink), |_reader, value| Some(value.clone());
}
