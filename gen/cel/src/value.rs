//! Values of expressions, and how they come from JSON with a schema.
//!
//! Invariants: a value from JSON is read when an expression needs it, and borrows its texts, lists and maps. A failure is a value, so that
//! `||`, `&&` and macros can absorb it. Comparing two values recurses as deep as their schemas, or as the literals of an expression.

pub(crate) mod shown;
mod sum;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::net::IpAddr;
use std::ops::Deref;
use std::sync::Arc;

use crd_model::base64;
use crd_model::schema::{AdditionalProperties, Schema};
use serde_json::Value as Json;

use super::calendar::{self, Duration, Timestamp};
use super::failure::Failure;
use super::fields;
use super::format::Format;
use super::location::Location;
use super::network::Network;
use super::quantity::Quantity;
use super::shapes::{NEWEST_MINOR, Scalar};
pub(crate) use sum::{Item, Sums};
pub use sum::{Known, Sum};

/// A text that is borrowed or shared.
#[derive(Clone, Debug)]
pub enum Text<'v> {
    /// Part of the object.
    Borrowed(&'v str),
    /// Computed, or part of the expression.
    Shared(Arc<str>),
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Borrowed(text) => text,
            Self::Shared(text) => text,
        }
    }
}

/// The names of types, which are values, and the types without parts among them.
const TYPES: [(&str, Option<Scalar>); 19] = [
    ("bool", Some(Scalar::Boolean)),
    ("bytes", Some(Scalar::Bytes)),
    ("double", Some(Scalar::Double)),
    ("google.protobuf.Duration", Some(Scalar::Duration)),
    ("google.protobuf.Timestamp", Some(Scalar::Timestamp)),
    ("int", Some(Scalar::Integer)),
    ("kubernetes.NamedFormat", Some(Scalar::Format)),
    ("kubernetes.Quantity", Some(Scalar::Quantity)),
    ("kubernetes.Semver", Some(Scalar::Semver)),
    ("kubernetes.URL", Some(Scalar::Location)),
    ("list", None),
    ("map", None),
    ("net.CIDR", Some(Scalar::Network)),
    ("net.IP", Some(Scalar::Address)),
    ("null_type", Some(Scalar::Null)),
    ("optional_type", None),
    ("string", Some(Scalar::Text)),
    ("type", None),
    ("uint", Some(Scalar::Unsigned)),
];

/// The type of this name, and whether it is a type without parts.
pub(super) fn type_named(name: &str) -> Option<(&'static str, Option<Scalar>)> {
    TYPES.into_iter().find(|(known, _)| *known == name)
}

/// Whether it is the name of a type or the first part of one: `net` of `net.IP`.
pub(super) fn begins_type_name(name: &str) -> bool {
    TYPES.iter().any(|(known, _)| known.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
}

/// The result of a function.
pub(super) type Outcome<'v> = Result<Value<'v>, Failure>;

/// A function of servers of a Kubernetes minor. Its arguments are not failures.
pub(super) type Run = for<'v> fn(&[Value<'v>], u32) -> Outcome<'v>;

/// A value of an expression.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Value<'v> {
    /// `null`
    Null,
    /// `true`, `false`
    Boolean(bool),
    /// `int`
    Integer(i64),
    /// `uint`
    Unsigned(u64),
    /// `double`
    Double(f64),
    /// `string`
    Text(Text<'v>),
    /// `bytes`
    Bytes(Arc<[u8]>),
    /// `google.protobuf.Timestamp`
    Timestamp(Timestamp),
    /// `google.protobuf.Duration`
    Duration(Duration),
    /// `list`
    List(List<'v>),
    /// `map`, and objects
    Map(Map<'v>),
    /// `optional_type`
    Optional(Option<Arc<Value<'v>>>),
    /// The name of a type.
    Type(&'static str),
    /// `kubernetes.URL`
    Location(Arc<Location>),
    /// `net.IP`
    Address(IpAddr),
    /// `net.CIDR`
    Network(Network),
    /// `kubernetes.Quantity`
    Quantity(Quantity),
    /// `kubernetes.Semver`
    Version(Arc<semver::Version>),
    /// `kubernetes.NamedFormat`
    Format(Format),
    /// The reason why there is no value.
    Failed(Arc<Failure>),
}

#[derive(Clone, Debug)]
pub enum List<'v> {
    Shared(Arc<Vec<Value<'v>>>),
    /// Part of the object: the items, and the schema of the list. A set has the items that it remembers.
    Json(&'v [Json], &'v Schema, Option<Known>),
    /// Two lists, and the number of their items together.
    Joined(Arc<(List<'v>, List<'v>)>, usize),
    /// A list of the object and the items that were added to it.
    Sum(Arc<Sum<'v>>),
}

/// A map, or an object with fields.
#[derive(Clone, Debug)]
pub enum Map<'v> {
    Shared(Arc<Entries<'v>>),
    /// Part of the object.
    Json(JsonMap<'v>),
}

/// A map of the object.
#[derive(Clone, Copy, Debug)]
pub struct JsonMap<'v> {
    pub(super) entries: &'v serde_json::Map<String, Json>,
    schema: &'v Schema,
    role: Role,
}

/// What an object is in the resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Plain,
    /// A resource, whose `apiVersion`, `kind` and `metadata` the server describes.
    Resource,
    /// The `metadata` of a resource.
    Metadata,
}

/// The entries of a computed map, in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub struct Entries<'v> {
    entries: Vec<(Value<'v>, Value<'v>)>,
    index: HashMap<Key, usize>,
}

/// A key of a map. Numbers are equal whatever their type is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Boolean(bool),
    Number(i128),
    Fraction(u64),
    Text(Arc<str>),
}

impl Key {
    pub(super) fn of(value: &Value<'_>) -> Option<Self> {
        Some(match value {
            Value::Boolean(value) => Self::Boolean(*value),
            Value::Integer(value) => Self::Number(i128::from(*value)),
            Value::Unsigned(value) => Self::Number(i128::from(*value)),
            #[expect(clippy::cast_possible_truncation, reason = "the value is whole and small")]
            Value::Double(value) if value.fract() == 0.0 && value.abs() < 1e20 => Self::Number(*value as i128),
            Value::Double(value) => Self::Fraction(value.to_bits()),
            Value::Text(Text::Shared(text)) => Self::Text(text.clone()),
            Value::Text(text) => Self::Text(Arc::from(&**text)),
            _ => return None,
        })
    }
}

impl<'v> Entries<'v> {
    /// Sets the value of a key. Fails for a key that is neither a boolean, a number nor a text.
    pub(super) fn set(&mut self, key: Value<'v>, value: Value<'v>) -> Result<(), Failure> {
        let Some(hashed) = Key::of(&key) else {
            return Err(Failure::new(format!("unsupported key type: {}", key.type_name())));
        };
        match self.index.get(&hashed) {
            Some(at) => self.entries[*at] = (key, value),
            None => {
                self.index.insert(hashed, self.entries.len());
                self.entries.push((key, value));
            }
        }
        Ok(())
    }

    pub(super) fn find(&self, key: &Value<'_>) -> Option<&Value<'v>> {
        Some(&self.entries[*self.index.get(&Key::of(key)?)?].1)
    }

    /// Removes a key: `{'a': 1, ?'a': optional.none()}`.
    pub(super) fn remove(&mut self, key: &Value<'v>) {
        if let Some(at) = Key::of(key).and_then(|key| self.index.remove(&key)) {
            self.entries.remove(at);
            for position in self.index.values_mut().filter(|position| **position > at) {
                *position -= 1;
            }
        }
    }
}

/// The items of a list, for fast lookups.
#[derive(Default)]
pub(super) struct Members<'v> {
    hashed: HashSet<Key>,
    /// Items that cannot be hashed.
    other: Vec<Value<'v>>,
}

impl<'v> FromIterator<Value<'v>> for Members<'v> {
    fn from_iter<I: IntoIterator<Item = Value<'v>>>(items: I) -> Self {
        let mut members = Self::default();
        for item in items {
            members.add(item);
        }
        members
    }
}

impl<'v> Members<'v> {
    /// Adds a value, unless it is a member already.
    pub(super) fn add(&mut self, value: Value<'v>) -> bool {
        match Key::of(&value) {
            Some(_) if matches!(value, Value::Double(number) if number.is_nan()) => true,
            Some(key) => self.hashed.insert(key),
            None if self.other.iter().any(|known| known.equals(&value)) => false,
            None => {
                self.other.push(value);
                true
            }
        }
    }

    pub(super) fn contains(&self, value: &Value<'v>) -> bool {
        match Key::of(value) {
            Some(key) => self.hashed.contains(&key),
            None => self.other.iter().any(|known| known.equals(value)),
        }
    }
}

impl<'v> List<'v> {
    /// How many items it has.
    pub fn len(&self) -> usize {
        match self {
            Self::Shared(items) => items.len(),
            Self::Json(items, ..) => items.len(),
            Self::Joined(_, length) => *length,
            Self::Sum(sum) => sum.items.len(),
        }
    }

    /// Whether it has no items.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The item at a position.
    pub fn get(&self, mut at: usize) -> Option<Value<'v>> {
        let mut list = self;
        while let Self::Joined(parts, _) = list {
            let (first, second) = &**parts;
            list = if at < first.len() {
                first
            } else {
                at -= first.len();
                second
            };
        }
        match list {
            Self::Joined(..) => None,
            Self::Shared(items) => items.get(at).cloned(),
            Self::Sum(sum) => sum.get(at),
            Self::Json(items, schema, _) => {
                let item = items.get(at)?;
                Some(schema.items.as_deref().map_or_else(
                    || Value::failed("invalid array type, expected Items with a non-empty Schema"),
                    |schema| Value::from_json(item, schema),
                ))
            }
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = Value<'v>> + '_ {
        (0..self.len()).filter_map(|at| self.get(at))
    }
}

impl<'v> Map<'v> {
    /// How many entries it has.
    pub fn len(&self) -> usize {
        match self {
            Self::Shared(map) => map.entries.len(),
            Self::Json(map) => map.entries.len(),
        }
    }

    /// Whether it has no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of a key: nothing if there is no such key, and a failure if it cannot be a key.
    pub(super) fn find(&self, key: &Value<'_>) -> Result<Option<Value<'v>>, Failure> {
        match self {
            Self::Shared(map) => Ok(map.find(key).cloned()),
            Self::Json(map) => match key {
                Value::Text(key) => Ok(map.field(key)),
                _ => Err(Failure::no_overload()),
            },
        }
    }

    pub fn entries(&self) -> Vec<(Value<'v>, Value<'v>)> {
        match self {
            Self::Shared(map) => map.entries.clone(),
            Self::Json(map) => {
                let is_object = map.is_object();
                let keys = map.entries.keys().filter_map(|name| {
                    if is_object { fields::escape(name) } else { Some(Cow::Borrowed(name.as_str())) }
                });
                let entries = keys.filter_map(|key| {
                    let value = map.field(&key)?;
                    let key = match key {
                        Cow::Borrowed(key) => Text::Borrowed(key),
                        Cow::Owned(key) => Text::Shared(key.into()),
                    };
                    Some((Value::Text(key), value))
                });
                entries.collect()
            }
        }
    }

    fn equals(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self
                .entries()
                .iter()
                .all(|(key, value)| matches!(other.find(key), Ok(Some(found)) if value.equals(&found)))
    }
}

impl<'v> JsonMap<'v> {
    fn of(entries: &'v serde_json::Map<String, Json>, schema: &'v Schema) -> Self {
        Self { entries, schema, role: if schema.embedded_resource { Role::Resource } else { Role::Plain } }
    }

    /// The value of a key as servers look it up, with the schema of its property.
    fn looked_up(&self, key: &str) -> Option<Value<'v>> {
        if !self.is_object() {
            return self.field(key);
        }
        let name = fields::looked_up(key)?;
        let value = self.entries.get(&*name).filter(|value| !value.is_null())?;
        match self.schema.properties.get(&name) {
            Some(schema) => Some(Value::from_json(value, schema)),
            None => self.field(&name),
        }
    }

    /// Whether the schema lists the key.
    fn is_known(&self, key: &str) -> bool {
        match self.is_object() {
            true => {
                let implied = self.role == Role::Resource && fields::OF_RESOURCE.contains(&key);
                implied || self.schema.properties.contains_key(key)
            }
            false => matches!(self.schema.additional_properties, Some(AdditionalProperties::Values(_))),
        }
    }

    /// Servers before 1.34 find neither nulls nor names that need an escape in the other object, so that such an object does not equal itself.
    fn is_equal(&self, other: &Map<'v>, minor: u32) -> Result<bool, Failure> {
        const FINDS_BOTH_SINCE: u32 = 34;
        if self.entries.len() != other.len() {
            return Ok(false);
        }
        for (key, value) in self.entries {
            if !self.is_known(key) {
                let Map::Json(other) = other else { return Err(Failure::no_overload()) };
                if other.entries.get(key).is_some_and(|other| other != value) {
                    return Ok(false);
                }
                continue;
            }
            let found = match other {
                Map::Json(other) => other.looked_up(key),
                Map::Shared(other) => other.find(&Value::Text(Text::Borrowed(key))).cloned(),
            };
            let own = match self.looked_up(key) {
                None if minor < FINDS_BOTH_SINCE => Some(Value::Null),
                own => own,
            };
            match (own, found) {
                (None, None) => {}
                (Some(own), Some(found)) if own.is_equal_part(&found, minor)? => {}
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    fn is_object(&self) -> bool {
        self.role != Role::Plain || !self.schema.properties.is_empty()
    }

    fn field(&self, name: &str) -> Option<Value<'v>> {
        if !self.is_object() {
            let value = self.entries.get(name)?;
            return match &self.schema.additional_properties {
                Some(AdditionalProperties::Values(values)) => Some(Value::from_json(value, values)),
                _ => None,
            };
        }
        if self.role != Role::Plain && !(self.role == Role::Resource && fields::describes_resource(self.schema)) {
            let implied = if self.role == Role::Metadata { &fields::OF_METADATA[..] } else { &fields::OF_RESOURCE };
            if let Some(implied) = implied.iter().find(|implied| **implied == name) {
                return match self.entries.get(*implied)? {
                    Json::String(text) => Some(Value::Text(Text::Borrowed(text))),
                    Json::Object(entries) if *implied == "metadata" => {
                        Some(Value::Map(Map::Json(JsonMap { entries, schema: self.schema, role: Role::Metadata })))
                    }
                    Json::Null => None,
                    _ => Some(Value::failed("invalid data, expected string")),
                };
            }
        }
        if self.role == Role::Metadata {
            return None;
        }
        let (property, schema) = fields::property(&self.schema.properties, name)?;
        match self.entries.get(property)? {
            // A null that its schema allows is the same as an absent field.
            Json::Null => None,
            value => Some(Value::from_json(value, schema)),
        }
    }
}

/// The Go type that a server has for a JSON value (`%T`).
pub fn go_type(json: &Json) -> &'static str {
    match json {
        Json::Null => "<nil>",
        Json::Bool(_) => "bool",
        Json::Number(number) if number.is_i64() => "int64",
        Json::Number(_) => "float64",
        Json::String(_) => "string",
        Json::Array(_) => "[]interface {}",
        Json::Object(_) => "map[string]interface {}",
    }
}

impl From<bool> for Value<'_> {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

impl From<i64> for Value<'_> {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<Failure> for Value<'_> {
    fn from(failure: Failure) -> Self {
        Self::Failed(Arc::new(failure))
    }
}

impl<'v> Value<'v> {
    pub(super) fn failed(text: impl Into<Cow<'static, str>>) -> Self {
        Self::Failed(Arc::new(Failure::new(text)))
    }

    pub(super) fn no_overload() -> Self {
        Self::failed("no such overload")
    }

    pub fn text(text: impl Into<Arc<str>>) -> Self {
        Self::Text(Text::Shared(text.into()))
    }

    pub fn list(items: Vec<Self>) -> Self {
        Self::List(List::Shared(Arc::new(items)))
    }

    /// A computed map; a later entry replaces an earlier one with an equal key.
    ///
    /// # Errors
    ///
    /// A key that is neither a boolean, a number nor a text.
    pub fn map(entries: Vec<(Self, Self)>) -> Result<Self, Failure> {
        let mut map = Entries::default();
        for (key, value) in entries {
            map.set(key, value)?;
        }
        Ok(Self::Map(Map::Shared(Arc::new(map))))
    }

    /// A type, by the name that `type` returns.
    pub fn type_named(name: &str) -> Option<Self> {
        type_named(name).map(|(name, _)| Self::Type(name))
    }

    /// An optional value with content.
    pub fn some(value: Self) -> Self {
        Self::Optional(Some(Arc::new(value)))
    }

    /// An optional value, such as `oldSelf` of a rule with `optionalOldSelf`.
    pub fn optional(value: Option<Self>) -> Self {
        Self::Optional(value.map(Arc::new))
    }

    /// The resource itself: its `apiVersion`, `kind` and `metadata` are those of every resource.
    pub fn from_resource(json: &'v Json, schema: &'v Schema) -> Self {
        match json {
            Json::Object(entries) => Self::Map(Map::Json(JsonMap { entries, schema, role: Role::Resource })),
            json => Self::from_json(json, schema),
        }
    }

    /// The value as rules see it. A value that its schema does not allow is a failure.
    pub fn from_json(json: &'v Json, schema: &'v Schema) -> Self {
        if let Json::Null = json {
            return match schema.nullable {
                true => Self::Null,
                false => Self::failed("invalid data, got null for schema with nullable=false"),
            };
        }
        if schema.int_or_string {
            return match json {
                Json::String(text) => Self::Text(Text::Borrowed(text)),
                Json::Number(number) if number.is_i64() => Self::Integer(number.as_i64().unwrap_or_default()),
                json => Self::not_of(schema, go_type(json)),
            };
        }
        match (schema.kind.as_deref(), json) {
            (Some("object"), Json::Object(entries)) => Self::Map(Map::Json(JsonMap::of(entries, schema))),
            (Some("array"), Json::Array(items)) => Self::List(List::json(items, schema)),
            (Some("string"), Json::String(text)) => Self::from_text(Text::Borrowed(text), schema.format.as_deref()),
            (Some("boolean"), Json::Bool(value)) => Self::Boolean(*value),
            (Some("integer"), Json::Number(number)) if number.is_i64() => {
                Self::Integer(number.as_i64().unwrap_or_default())
            }
            (Some("number"), Json::Number(number)) => Self::Double(number.as_f64().unwrap_or(f64::NAN)),
            // Rules only compare it.
            (None, json) if schema.preserve_unknown_fields == Some(true) => Self::from_plain_json(json),
            (_, json) => Self::not_of(schema, go_type(json)),
        }
    }

    /// The failure of reading a Go value of this type with the schema.
    fn not_of(schema: &Schema, found: &str) -> Self {
        if schema.int_or_string {
            return Self::failed("invalid data, expected XIntOrString value to be either a string or integer");
        }
        match schema.kind.as_deref() {
            Some("object") => Self::failed("invalid data, expected a map for the provided schema with type=object"),
            Some("array") => Self::failed("invalid data, expected an array for the provided schema with type=array"),
            Some(kind @ ("string" | "boolean" | "integer" | "number")) => {
                let expected = match kind {
                    "boolean" => "bool",
                    "integer" => "int",
                    "number" => "float",
                    kind => kind,
                };
                Self::failed(format!("invalid data, expected {expected}, got {found}"))
            }
            kind => Self::failed(format!(
                "invalid type, expected object, array, number, integer, boolean or string, or no type with \
                 x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got {}",
                kind.unwrap_or_default()
            )),
        }
    }

    /// The value as it is read in a list of the object to which servers before 1.37 added it.
    pub(super) fn added_to_object(self, schema: &'v Schema) -> Self {
        let kind = schema.kind.as_deref().filter(|_| !schema.int_or_string);
        match (kind, self) {
            (Some("object"), Self::Map(Map::Json(map))) => Self::Map(Map::Json(JsonMap::of(map.entries, schema))),
            (Some("array"), Self::List(List::Json(items, ..))) => Self::List(List::json(items, schema)),
            (Some("array"), Self::List(list @ (List::Joined(..) | List::Sum(_)))) => Self::List(list.reread(schema)),
            (Some("string"), Self::Text(text)) => Self::from_text(text, schema.format.as_deref()),
            #[expect(clippy::cast_precision_loss, reason = "the server rounds too")]
            (Some("number"), Self::Integer(value)) => Self::Double(value as f64),
            (Some("boolean"), value @ Self::Boolean(_))
            | (Some("integer"), value @ Self::Integer(_))
            | (Some("number"), value @ Self::Double(_)) => value,
            (None, value @ (Self::Text(_) | Self::Integer(_))) if schema.int_or_string => value,
            (_, value) => Self::not_of(schema, value.go_type()),
        }
    }

    /// The Go type of what a server has for it.
    pub(super) fn go_type(&self) -> &'static str {
        match self {
            Self::Null => "structpb.NullValue",
            Self::Boolean(_) => "bool",
            Self::Integer(_) => "int64",
            Self::Unsigned(_) => "uint64",
            Self::Double(_) => "float64",
            Self::Text(_) => "string",
            Self::Bytes(_) => "[]uint8",
            Self::Timestamp(_) => "time.Time",
            Self::Duration(_) => "time.Duration",
            Self::List(List::Shared(_)) => "[]ref.Val",
            Self::List(_) => "[]interface {}",
            Self::Map(Map::Shared(_)) => "map[ref.Val]ref.Val",
            Self::Map(Map::Json(_)) => "map[string]interface {}",
            Self::Failed(_) => "*errors.errorString",
            other => other.type_name(),
        }
    }

    fn from_text(written: Text<'v>, format: Option<&str>) -> Self {
        let text = &*written;
        let invalid = |what: &str| Self::failed(format!("Invalid {what} {text}"));
        match format {
            Some("byte") => match text.find(['+', '/']) {
                // The schema accepts these, but rules read the alphabet of URLs.
                Some(at) => Self::failed(format!(
                    "Invalid byte formatted string {text}: illegal base64 data at input byte {at}"
                )),
                None => base64::decoded(text)
                    .map_or_else(|| invalid("byte formatted string"), |bytes| Self::Bytes(bytes.into())),
            },
            Some("duration") => calendar::lenient_duration(text).map_or_else(|| invalid("duration"), Self::Duration),
            Some("date") => Timestamp::parse(&format!("{text}T00:00:00Z"))
                .filter(|_| text.len() == 10)
                .map_or_else(|| invalid("date formatted string"), Self::Timestamp),
            Some("date-time") => calendar::timestamp_of_object(text).map_or_else(
                |why| Self::failed(format!("Invalid date-time formatted string {text}: {why}")),
                Self::Timestamp,
            ),
            _ => Self::Text(written),
        }
    }

    /// JSON without a schema: whole numbers are `int`, fractions `double`.
    pub fn from_plain_json(json: &'v Json) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(value) => Self::Boolean(*value),
            Json::Number(number) => match (number.as_i64(), number.as_u64()) {
                (Some(value), _) => Self::Integer(value),
                (None, Some(value)) => Self::Unsigned(value),
                _ => Self::Double(number.as_f64().unwrap_or(f64::NAN)),
            },
            Json::String(text) => Self::Text(Text::Borrowed(text)),
            Json::Array(items) => Self::list(items.iter().map(Self::from_plain_json).collect()),
            Json::Object(entries) => Self::from_plain_entries(entries),
        }
    }

    /// A map of JSON without a schema.
    pub(super) fn from_plain_entries(entries: &'v serde_json::Map<String, Json>) -> Self {
        let mut map = Entries::default();
        for (key, value) in entries {
            // A text is always a valid key.
            let _ = map.set(Self::Text(Text::Borrowed(key)), Self::from_plain_json(value));
        }
        Self::Map(Map::Shared(Arc::new(map)))
    }

    /// The name of its type.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null_type",
            Self::Boolean(_) => "bool",
            Self::Integer(_) => "int",
            Self::Unsigned(_) => "uint",
            Self::Double(_) => "double",
            Self::Text(_) => "string",
            Self::Bytes(_) => "bytes",
            Self::Timestamp(_) => "google.protobuf.Timestamp",
            Self::Duration(_) => "google.protobuf.Duration",
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Optional(_) => "optional_type",
            Self::Type(_) => "type",
            Self::Location(_) => "kubernetes.URL",
            Self::Address(_) => "net.IP",
            Self::Network(_) => "net.CIDR",
            Self::Quantity(_) => "kubernetes.Quantity",
            Self::Version(_) => "kubernetes.Semver",
            Self::Format(_) => "kubernetes.NamedFormat",
            Self::Failed(_) => "error",
        }
    }

    /// Whether it can be the key of a map.
    pub(super) fn can_be_key(&self) -> bool {
        matches!(self, Self::Boolean(_) | Self::Integer(_) | Self::Unsigned(_) | Self::Double(_) | Self::Text(_))
    }

    pub(super) fn is_failed(&self) -> bool {
        matches!(self, Self::Failed(_))
    }

    /// Whether its type is one of the Kubernetes libraries.
    pub(super) fn is_of_kubernetes(&self) -> bool {
        matches!(
            self,
            Self::Quantity(_)
                | Self::Address(_)
                | Self::Network(_)
                | Self::Format(_)
                | Self::Location(_)
                | Self::Version(_)
        )
    }

    /// `==`: numbers are compared across types, and values of different types are not equal.
    pub fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Boolean(one), Self::Boolean(other)) => one == other,
            (Self::Text(one), Self::Text(other)) => **one == **other,
            (Self::Bytes(one), Self::Bytes(other)) => one == other,
            (Self::Timestamp(one), Self::Timestamp(other)) => one == other,
            (Self::Duration(one), Self::Duration(other)) => one == other,
            (Self::List(one), Self::List(other)) => one.is_equal(other, NEWEST_MINOR).unwrap_or(false),
            (Self::Map(one), Self::Map(other)) => one.equals(other),
            (Self::Optional(one), Self::Optional(other)) => match (one, other) {
                (Some(one), Some(other)) => one.equals(other),
                (None, None) => true,
                _ => false,
            },
            (Self::Type(one), Self::Type(other)) => one == other,
            (Self::Location(one), Self::Location(other)) => one == other,
            (Self::Address(one), Self::Address(other)) => one == other,
            (Self::Network(one), Self::Network(other)) => one == other,
            (Self::Quantity(one), Self::Quantity(other)) => one.compare(other) == Ordering::Equal,
            (Self::Version(one), Self::Version(other)) => one.cmp_precedence(other) == Ordering::Equal,
            (Self::Format(one), Self::Format(other)) => one == other,
            (one, other) => one.compared_numbers(other) == Compared::Ordered(Ordering::Equal),
        }
    }

    /// The order of two numbers.
    fn compared_numbers(&self, other: &Self) -> Compared {
        let whole = |value: &Self| match value {
            Self::Integer(value) => Some(i128::from(*value)),
            Self::Unsigned(value) => Some(i128::from(*value)),
            _ => None,
        };
        let order = match (self, other, whole(self), whole(other)) {
            (Self::Double(one), Self::Double(other), ..) => one.partial_cmp(other),
            (Self::Double(one), _, _, Some(other)) => compared_to_whole(*one, other),
            (_, Self::Double(other), Some(one), _) => compared_to_whole(*other, one).map(Ordering::reverse),
            (_, _, Some(one), Some(other)) => Some(one.cmp(&other)),
            _ => return Compared::WithoutOrder,
        };
        order.map_or(Compared::NotANumber, Compared::Ordered)
    }

    /// `==` of a rule. What comes from the object is compared as servers of this minor do: the types of Kubernetes refuse other types, and a part
    /// that fails fails the comparison.
    pub(super) fn is_equal(&self, other: &Self, minor: u32) -> Result<bool, Failure> {
        match (self, other) {
            (Self::Failed(failure), _) => Err(Failure::clone(failure)),
            // A server does not recognise what it computed on the right side.
            (Self::Quantity(_), Self::Quantity(other)) if other.is_computed => Err(Failure::no_overload()),
            (one, other) if one.is_of_kubernetes() && one.type_name() != other.type_name() => match other {
                Self::Null => Ok(false),
                _ => Err(Failure::no_overload()),
            },
            (_, Self::Null) => Ok(self.equals(other)),
            (Self::Map(Map::Json(_)), other) if !matches!(other, Self::Map(_)) => Err(Failure::no_overload()),
            (Self::List(List::Json(..) | List::Sum(_)), other) if !matches!(other, Self::List(_)) => {
                Err(Failure::no_overload())
            }
            (Self::Optional(Some(one)), Self::Optional(Some(other))) => one.is_equal(other, minor),
            (Self::Map(Map::Json(one)), Self::Map(other)) => one.is_equal(other, minor),
            (Self::List(one), Self::List(other)) => one.is_equal(other, minor),
            (one, other) => Ok(one.equals(other)),
        }
    }

    /// The same for parts of the object: lists and maps also refuse null.
    pub(super) fn is_equal_part(&self, other: &Self, minor: u32) -> Result<bool, Failure> {
        match (self, other) {
            (Self::Map(Map::Json(_)) | Self::List(List::Json(..) | List::Sum(_)), Self::Null) => {
                Err(Failure::no_overload())
            }
            (one, other) => one.is_equal(other, minor),
        }
    }

    /// `<` and its variants.
    pub(super) fn compared(&self, other: &Self) -> Compared {
        Compared::Ordered(match (self, other) {
            (Self::Boolean(one), Self::Boolean(other)) => one.cmp(other),
            (Self::Text(one), Self::Text(other)) => one.as_bytes().cmp(other.as_bytes()),
            (Self::Bytes(one), Self::Bytes(other)) => one.cmp(other),
            (Self::Timestamp(one), Self::Timestamp(other)) => one.cmp(other),
            (Self::Duration(one), Self::Duration(other)) => one.cmp(other),
            (one, other) => return one.compared_numbers(other),
        })
    }
}

/// The order of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compared {
    Ordered(Ordering),
    /// One of them is NaN.
    NotANumber,
    /// The types have no order.
    WithoutOrder,
}

impl Compared {
    /// The order, where values without one are equal.
    pub(super) fn or_equal(self) -> Ordering {
        if let Self::Ordered(order) = self { order } else { Ordering::Equal }
    }
}

/// A double against a whole number, which is rounded to a double, as the server does.
#[expect(clippy::cast_precision_loss, reason = "the server rounds too")]
fn compared_to_whole(double: f64, whole: i128) -> Option<Ordering> {
    double.partial_cmp(&(whole as f64))
}
