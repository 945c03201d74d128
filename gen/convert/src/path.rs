//! Paths to places in objects, such as `spec.rules[*].filters[*].type`.
//!
//! | part | meaning |
//! |---|---|
//! | `spec`, `.name` | a field |
//! | `["a.b/c"]` | a field whose name has other characters, as a JSON string |
//! | `[*]` | each item of a list |
//! | `{*}` | each value of a map |
//!
//! Invariants: a path has at least one part and at most [`LONGEST`], and begins with a field. A path that is written is read as the same path.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use crd_model::path::{self, Part, PathErrorKind, parts};
use serde_json::{Map, Value, json};

/// An item of a list or a value of a map.
pub(crate) use crd_model::path::Step as Selector;
/// One part of a path.
pub use crd_model::schema::Step as Segment;

/// Parts of a path at most.
pub const LONGEST: usize = 64;

/// Where something is in an object, or in each item of its lists and maps.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path {
    segments: Vec<Segment>,
}

/// Fields below an object, one in the other.
pub(crate) type Fields = Vec<String>;

impl Path {
    /// The path of these parts, if the first is a field and they are not too many.
    #[must_use]
    pub fn new(segments: &[Segment]) -> Option<Self> {
        let is_path = matches!(segments.first(), Some(Segment::Field(_))) && segments.len() <= LONGEST;
        is_path.then(|| Self::of(segments.to_vec()))
    }

    /// The path of these parts, of which the first is a field.
    pub(crate) fn of(segments: Vec<Segment>) -> Self {
        Self { segments }
    }

    /// The parts.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The parts up to the last list or map, and the fields below.
    pub(crate) fn split(&self) -> (&[Segment], Fields) {
        let last = self.segments.iter().rposition(|segment| !matches!(segment, Segment::Field(_)));
        let (scope, fields) = self.segments.split_at(last.map_or(0, |last| last + 1));
        let name = |segment: &Segment| match segment {
            Segment::Field(name) => Some(name.clone()),
            Segment::Item | Segment::Value => None,
        };
        (scope, fields.iter().filter_map(name).collect())
    }

    /// Whether this place is the other one, or contains it.
    pub(crate) fn contains(&self, other: &Self) -> bool {
        other.segments.starts_with(&self.segments)
    }
}

/// Why a text is not a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathError {
    /// The byte where the invalid part starts.
    pub at: usize,
    /// What is wrong.
    pub message: &'static str,
    /// How to fix it.
    pub help: &'static str,
}

impl From<path::PathError> for PathError {
    fn from(path::PathError { at, kind }: path::PathError) -> Self {
        let (message, help) = match kind {
            PathErrorKind::Name => ("missing name", r#"write a name, or `["NAME"]` for a name with other characters"#),
            PathErrorKind::Quotes => ("unfinished name in brackets", r#"write `["NAME"]` with a JSON string"#),
            PathErrorKind::Part => ("unexpected character", r#"write `.NAME`, `["NAME"]`, `[*]` or `{*}`"#),
        };
        Self { at, message, help }
    }
}

impl fmt::Display for PathError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} at byte {}", self.message, self.at)
    }
}

impl std::error::Error for PathError {}

impl FromStr for Path {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, PathError> {
        let mut segments = Vec::new();
        for part in parts(text) {
            let (at, part) = part?;
            let error = |message, help| PathError { at, message, help };
            if segments.len() == LONGEST {
                return Err(error("the path has more than 64 parts", "convert a place that is less deep"));
            }
            let segment = match part {
                Part::Name(name) => Segment::Field(name.into_owned()),
                Part::Sign(sign) if sign == "[*]" => Segment::Item,
                Part::Sign(sign) if sign == "{*}" => Segment::Value,
                Part::Sign(_) => return Err(path::PathError { at, kind: PathErrorKind::Part }.into()),
            };
            if segments.is_empty() && !matches!(segment, Segment::Field(_)) {
                return Err(error("a path must begin with a field", "write the field before `[*]` or `{*}`"));
            }
            segments.push(segment);
        }
        Ok(Self { segments })
    }
}

impl fmt::Display for Path {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A path is resolved without a schema: values of maps have a sign of their own.
        let part = |segment| match segment {
            &Segment::Value => Part::Sign(Cow::Borrowed("{*}")),
            segment => Part::from(segment),
        };
        formatter.write_str(&path::text(self.segments.iter().map(part)))
    }
}

/// The fields as a path; empty for the object itself.
pub(crate) fn text(fields: &[String]) -> String {
    path::text(fields.iter().map(|field| name(field)))
}

/// A field in the text of a path.
fn name(field: &str) -> Part<'_> {
    Part::Name(Cow::Borrowed(field))
}

/// A selector after the text of its list or map.
pub(crate) fn selected(selector: &Selector) -> String {
    let text = path::text([selector]);
    if text.starts_with('[') { text } else { format!(".{text}") }
}

/// A place in one object, such as `spec.rules[2].name`.
pub(crate) fn place(scope: &[Segment], at: &[Selector], fields: &[String]) -> String {
    place_of(scope, at.iter().map(selected), fields)
}

/// A place with the texts of its selectors.
pub(crate) fn place_of(scope: &[Segment], mut at: impl Iterator<Item = String>, fields: &[String]) -> String {
    let part = |segment| match segment {
        &Segment::Item | &Segment::Value => Part::Sign(Cow::Owned(at.next().unwrap_or_default())),
        segment => Part::from(segment),
    };
    let text = path::text(scope.iter().map(part).chain(fields.iter().map(|field| name(field))));
    if text.is_empty() { "the object".to_owned() } else { text }
}

/// A place below an item, both as texts.
pub(crate) fn below(item: &str, place: &str) -> String {
    let dot = if place.is_empty() || place.starts_with('[') { "" } else { "." };
    format!("{item}{dot}{place}")
}

/// The text in examples.
pub(crate) const TEXT: &str = "example";

/// What is in a place of a sample: of lists the first item, of maps the value with the key [`TEXT`]. It is null where nothing was written.
pub(crate) fn sample<'v>(object: &'v mut Value, segments: &[Segment]) -> &'v mut Value {
    segments.iter().fold(object, |value, segment| {
        let name = match segment {
            Segment::Field(name) => name,
            Segment::Value => TEXT,
            Segment::Item => {
                if value.as_array().is_none_or(Vec::is_empty) {
                    *value = json!([null]);
                }
                return &mut value[0];
            }
        };
        if !value.is_object() {
            *value = json!({});
        }
        &mut value[name]
    })
}

/// What is in a field below an item.
pub(crate) fn get<'v>(item: &'v Value, fields: &[String]) -> Option<&'v Value> {
    fields.iter().try_fold(item, |value, name| value.as_object()?.get(name))
}

/// The object around a field, if it exists.
pub(crate) fn parent<'v>(item: &'v Value, fields: &[String]) -> Option<&'v Map<String, Value>> {
    get(item, fields.split_last()?.1)?.as_object()
}

/// Takes out what is in a field below an item; null remains of an item itself.
pub(crate) fn take(item: &mut Value, fields: &[String]) -> Option<Value> {
    let Some((last, above)) = fields.split_last() else { return Some(item.take()) };
    let parent = above.iter().try_fold(item, |value, name| value.as_object_mut()?.get_mut(name));
    parent?.as_object_mut()?.remove(last)
}

/// Whether a field can be written: everything around it that exists is an object. Otherwise the number of fields up to the one that is not.
pub(crate) fn is_writable(item: &Value, fields: &[String]) -> Result<(), usize> {
    let mut value = item;
    for (depth, name) in fields.iter().enumerate() {
        let Some(object) = value.as_object() else { return Err(depth) };
        if depth + 1 == fields.len() {
            break;
        }
        match object.get(name) {
            Some(below) => value = below,
            None => break,
        }
    }
    Ok(())
}

/// Writes a field below an item, with the objects around it. Does nothing where [`is_writable`] is an error.
pub(crate) fn put(item: &mut Value, fields: &[String], value: Value) {
    let Some((last, above)) = fields.split_last() else {
        *item = value;
        return;
    };
    let parent = above.iter().try_fold(item, |value, name| {
        let object = value.as_object_mut()?;
        if !object.contains_key(name) {
            object.insert(name.clone(), Value::Object(Map::new()));
        }
        object.get_mut(name)
    });
    if let Some(object) = parent.and_then(Value::as_object_mut) {
        object.insert(last.clone(), value);
    }
}

/// Removes the objects around a field that are empty now.
pub(crate) fn prune(item: &mut Value, fields: &[String]) {
    for length in (1..fields.len()).rev() {
        let around = fields.get(..length).unwrap_or_default();
        match get(item, around) {
            Some(Value::Object(object)) if object.is_empty() => take(item, around),
            _ => return,
        };
    }
}

/// The functions that go along a scope, for reading and for changes.
macro_rules! along_scopes {
    ($each:ident, $item:ident, $get:ident, $iter:ident $(, $mutable:tt)?) => {
        /// Calls `visit` for each item of a scope. A path has few segments, so the recursion is short.
        pub(crate) fn $each<E>(
            value: &$($mutable)? Value,
            scope: &[Segment],
            at: &mut Vec<Selector>,
            visit: &mut impl FnMut(&$($mutable)? Value, &[Selector]) -> Result<(), E>,
        ) -> Result<(), E> {
            let Some((segment, rest)) = scope.split_first() else { return visit(value, at) };
            let mut below = |selector: Selector, value: &$($mutable)? Value| {
                at.push(selector);
                let result = $each(value, rest, at, visit);
                at.pop();
                result
            };
            match (segment, value) {
                (Segment::Field(name), Value::Object(object)) => {
                    object.$get(name).map_or(Ok(()), |value| $each(value, rest, at, visit))
                }
                (Segment::Item, Value::Array(items)) => {
                    items.$iter().enumerate().try_for_each(|(index, item)| below(Selector::Item(index), item))
                }
                (Segment::Value, Value::Object(map)) => {
                    map.$iter().try_for_each(|(key, value)| below(Selector::Field(key.clone()), value))
                }
                _ => Ok(()),
            }
        }

        /// The item of a scope at a place, if it exists.
        pub(crate) fn $item<'v>(
            object: &'v $($mutable)? Value,
            scope: &[Segment],
            at: &[Selector],
        ) -> Option<&'v $($mutable)? Value> {
            let mut at = at.iter();
            scope.iter().try_fold(object, |value, segment| match segment {
                Segment::Field(name) => value.$get(name),
                Segment::Item | Segment::Value => match at.next()? {
                    Selector::Item(index) => value.$get(index),
                    Selector::Field(key) => value.$get(key),
                },
            })
        }
    };
}

along_scopes!(each, item, get, iter);
along_scopes!(each_mut, item_mut, get_mut, iter_mut, mut);
