//! Strict reading, per call (feature `serde`).
//!
//! Types read leniently, because a controller must survive objects of newer bundles and of loosened rules (GEP-922). Then an absent required
//! field is zero, and to write the object back would store that zero. [`read`] reports everything that a lenient reader accepts silently, and
//! [`AsRead`] is an object that is only written back when its author decides about the zeros.
//!
//! Invariants: the descriptor decides, not the wire code; all problems are reported together, in the order of the document; a value that reads
//! strictly reads leniently to the same.

use std::fmt;
use std::ops::Deref;

use serde::de::{DeserializeOwned, Deserializer, Error as _};
use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::descriptor::{BaseType, Field, Presence, Shape, TypeDescriptor, TypeRef};
use crate::rule::Rule;
use crate::typed::Described;

/// What a lenient reader accepts silently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where, such as `spec.rules[0].name`.
    pub path: String,
    /// What.
    pub kind: ProblemKind,
}

/// The kinds of problems.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// A required field is absent or null, and reads as zero.
    Missing,
    /// A field that the types do not have, which is dropped.
    UnknownField,
    /// A value that the enum does not have, which is kept as text.
    UnknownValue(String),
    /// Not exactly one of these fields is set, so the object is not a variant of the enum, and is kept as it is.
    NotOneOf(Vec<&'static str>),
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        match &self.kind {
            ProblemKind::Missing => write!(formatter, "{path}: a required field is absent"),
            ProblemKind::UnknownField => write!(formatter, "{path}: the field is unknown"),
            ProblemKind::UnknownValue(value) => write!(formatter, "{path}: the value {value:?} is unknown"),
            ProblemKind::NotOneOf(names) => {
                let path = if path.is_empty() { "the object" } else { path };
                write!(formatter, "{path}: exactly one of the fields {} must be set", names.join(", "))
            }
        }
    }
}

/// Why an object was not read.
#[derive(Debug)]
pub enum StrictError {
    /// A value of another kind; lenient readers fail too.
    Kind(serde_json::Error),
    /// What a lenient reader accepts silently: at least one.
    Problems(Vec<Problem>),
}

impl fmt::Display for StrictError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StrictError::Kind(error) => error.fmt(formatter),
            StrictError::Problems(problems) => {
                let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
                formatter.write_str(&lines.join("\n"))
            }
        }
    }
}

impl std::error::Error for StrictError {}

/// Reads an object strictly: absent required fields, unknown fields and unknown enum values are errors.
///
/// # Errors
/// A value of another kind, or everything that a lenient reader accepts silently.
///
/// ```
/// use crd_channels::{api, strict};
/// use serde_json::json;
///
/// #[api]
/// pub struct Size {
///     pub millimetres: i32,
/// }
///
/// assert_eq!(strict::read::<Size>(&json!({"millimetres": 3})).unwrap().millimetres, 3);
/// let error = strict::read::<Size>(&json!({"inches": 3})).unwrap_err();
/// assert_eq!(error.to_string(), "inches: the field is unknown\nmillimetres: a required field is absent");
/// ```
pub fn read<T: Described + DeserializeOwned>(value: &Value) -> Result<T, StrictError> {
    let object = T::deserialize(value).map_err(StrictError::Kind)?;
    let problems = problems(T::DESCRIPTOR, value);
    if problems.is_empty() { Ok(object) } else { Err(StrictError::Problems(problems)) }
}

/// What a lenient reader accepts silently in a value of a type.
pub fn problems(descriptor: &TypeDescriptor, value: &Value) -> Vec<Problem> {
    let mut reader = StrictReader { path: String::new(), problems: Vec::new() };
    reader.named(descriptor, value);
    reader.problems
}

/// An object as a controller read it. Reading is lenient and remembers which required fields were absent. Writing fails if there are any, until
/// [`with_zeros`](AsRead::with_zeros) accepts them. Use it as `kube::Api<AsRead<T>>` where objects are replaced.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AsRead<T> {
    object: T,
    zeros: Vec<String>,
}

impl<T> AsRead<T> {
    /// An object that was not read, with all fields as its author set them.
    pub fn new(object: T) -> Self {
        Self { object, zeros: Vec::new() }
    }

    /// The paths of required fields that were absent and are zero now.
    pub fn zeros(&self) -> &[String] {
        &self.zeros
    }

    /// Accepts that the zeros are written.
    #[must_use]
    pub fn with_zeros(self) -> Self {
        Self::new(self.object)
    }

    /// The object without the memory of what was absent.
    pub fn into_inner(self) -> T {
        self.object
    }

    /// The object, to be changed. A path in [`zeros`](AsRead::zeros) stays there.
    pub fn object_mut(&mut self) -> &mut T {
        &mut self.object
    }
}

impl<T> Deref for AsRead<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.object
    }
}

impl<'de, T: Described + DeserializeOwned> serde::Deserialize<'de> for AsRead<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let object = T::deserialize(&value).map_err(D::Error::custom)?;
        let missing =
            problems(T::DESCRIPTOR, &value).into_iter().filter(|problem| problem.kind == ProblemKind::Missing);
        Ok(Self { object, zeros: missing.map(|problem| problem.path).collect() })
    }
}

impl<T: Serialize> Serialize for AsRead<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !self.zeros.is_empty() {
            return Err(S::Error::custom(format_args!(
                "required fields were absent when the object was read, and would be written as zero: {}; set them and call `with_zeros`, or write a patch",
                self.zeros.join(", ")
            )));
        }
        self.object.serialize(serializer)
    }
}

#[cfg(feature = "kube")]
impl<T: k8s_openapi::Resource> k8s_openapi::Resource for AsRead<T> {
    const API_VERSION: &'static str = T::API_VERSION;
    const GROUP: &'static str = T::GROUP;
    const KIND: &'static str = T::KIND;
    const VERSION: &'static str = T::VERSION;
    const URL_PATH_SEGMENT: &'static str = T::URL_PATH_SEGMENT;
    type Scope = T::Scope;
}

#[cfg(feature = "kube")]
impl<T: k8s_openapi::Metadata> k8s_openapi::Metadata for AsRead<T> {
    type Ty = T::Ty;
    fn metadata(&self) -> &T::Ty {
        self.object.metadata()
    }
    fn metadata_mut(&mut self) -> &mut T::Ty {
        self.object.metadata_mut()
    }
}

/// Compares a value with the descriptors of its types.
struct StrictReader {
    path: String,
    problems: Vec<Problem>,
}

impl StrictReader {
    fn report(&mut self, kind: ProblemKind) {
        self.problems.push(Problem { path: self.path.clone(), kind });
    }

    fn below(&mut self, step: &str, read: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        self.path.push_str(if length == 0 { step.trim_start_matches('.') } else { step });
        read(self);
        self.path.truncate(length);
    }

    fn value(&mut self, kind: TypeRef, value: &Value) {
        match (kind, value) {
            (TypeRef::List(items), Value::Array(values)) => {
                for (index, value) in values.iter().enumerate() {
                    self.below(&format!("[{index}]"), |reader| reader.value(*items, value));
                }
            }
            (TypeRef::Map(_, values), Value::Object(entries)) => {
                for (key, value) in entries {
                    self.below(&format!("[{key:?}]"), |reader| reader.value(*values, value));
                }
            }
            (TypeRef::Named(descriptor), value) => self.named(descriptor.get(), value),
            // Kinds were compared by the lenient reader; base types and foreign types read themselves.
            _ => {}
        }
    }

    fn named(&mut self, descriptor: &TypeDescriptor, value: &Value) {
        match (descriptor.shape, value) {
            (Shape::Newtype(inner), value) => self.value(inner, value),
            (Shape::Enum { variants, open: false }, Value::String(text)) => {
                let is_known =
                    variants.iter().any(|variant| variant.wire_name == text || variant.aliases.contains(&&**text));
                if !is_known {
                    self.report(ProblemKind::UnknownValue(text.clone()));
                }
            }
            (Shape::Struct(_), Value::Object(object)) => self.object(descriptor, object, None),
            (Shape::Union { tag: None, variants }, Value::Object(object)) => self.one_of(variants, object),
            (Shape::Union { tag: Some(tag), variants }, Value::Object(object)) => self.tagged(tag, variants, object),
            _ => {}
        }
    }

    /// An enum with data whose variants are fields.
    fn one_of(&mut self, variants: &'static [Field], object: &Map<String, Value>) {
        let mut set = 0;
        for (name, value) in object {
            match variants.iter().find(|variant| is_named(variant, name)) {
                Some(_) if value.is_null() => {}
                Some(variant) => {
                    set += 1;
                    self.below(&format!(".{name}"), |reader| reader.value(variant.kind, value));
                }
                None => self.below(&format!(".{name}"), |reader| reader.report(ProblemKind::UnknownField)),
            }
        }
        if set != 1 {
            self.report(ProblemKind::NotOneOf(variants.iter().map(|variant| variant.wire_name).collect()));
        }
    }

    /// An enum with data whose variants are named by a field next to theirs.
    fn tagged(&mut self, tag: &'static str, variants: &'static [Field], object: &Map<String, Value>) {
        let Some(Value::String(name)) = object.get(tag) else {
            return self.below(&format!(".{tag}"), |reader| reader.report(ProblemKind::Missing));
        };
        let variant = variants.iter().find(|variant| is_named(variant, name));
        match variant.and_then(|variant| record(variant.kind)) {
            Some(descriptor) => self.object(descriptor, object, Some(tag)),
            None => self.below(&format!(".{tag}"), |reader| reader.report(ProblemKind::UnknownValue(name.clone()))),
        }
    }

    /// A struct. `tag`: a field that the object has in addition.
    fn object(&mut self, descriptor: &TypeDescriptor, object: &Map<String, Value>, tag: Option<&str>) {
        let mut fields = Vec::new();
        flattened(descriptor, &mut fields);
        let declared = fields.len();
        fields.retain(|field| !field.keeps_unknown_fields());
        let keeps_unknown_fields = fields.len() < declared || has(descriptor.markers, Rule::PreserveUnknownFields);
        for (name, value) in object {
            let field = fields.iter().find(|field| is_named(field, name));
            let is_identity =
                tag == Some(name) || descriptor.resource.is_some() && matches!(name.as_str(), "apiVersion" | "kind");
            match field {
                Some(field) if value.is_null() || has(field.markers, Rule::Schemaless) => {}
                Some(field) => self.below(&format!(".{name}"), |reader| reader.value(field.kind, value)),
                None if is_identity || keeps_unknown_fields => {}
                None => self.below(&format!(".{name}"), |reader| reader.report(ProblemKind::UnknownField)),
            }
        }
        for field in fields {
            let mut names = field.aliases.iter().chain([&field.wire_name]);
            let is_there = names.any(|name| object.get(*name).is_some_and(|value| field.nullable || !value.is_null()));
            // An object without metadata has no name yet.
            let is_metadata = matches!(field.kind, TypeRef::Base(BaseType::ObjectMeta));
            if field.presence == Presence::Required && !is_there && !is_metadata {
                self.below(&format!(".{}", field.wire_name), |reader| reader.report(ProblemKind::Missing));
            }
        }
    }
}

fn is_named(field: &Field, name: &str) -> bool {
    field.wire_name == name || field.aliases.contains(&name)
}

/// The struct behind newtypes.
fn record(kind: TypeRef) -> Option<&'static TypeDescriptor> {
    let TypeRef::Named(descriptor) = kind else { return None };
    match descriptor.get().shape {
        Shape::Newtype(inner) => record(inner),
        _ => Some(descriptor.get()),
    }
}

fn has(markers: &[crate::rule::Marker], rule: Rule) -> bool {
    markers.iter().any(|marker| marker.rule == rule)
}

/// The fields of a struct, with those of flattened structs.
fn flattened(descriptor: &TypeDescriptor, fields: &mut Vec<&'static Field>) {
    let Shape::Struct(own) = descriptor.shape else { return };
    for field in own {
        match field.kind {
            TypeRef::Named(inner) if field.flatten => flattened(inner.get(), fields),
            _ => fields.push(field),
        }
    }
}
