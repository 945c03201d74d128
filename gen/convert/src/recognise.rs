//! Whether an object has the current form: its API version, fields, types and enum values are those of the current schemas.
//!
//! Invariants: only names, types and enum values are checked. The recursion ends where the schema does.

use std::collections::BTreeMap;
use std::fmt;

use crd_model::schema::{AdditionalProperties, Schema};
use crd_model::{BundleVersion, CustomResourceDefinition};
use serde_json::Value;

use crate::lens::identity;
use crate::path::{Path, Segment};

/// What the schemas of one bundle contain, by API version and kind.
///
/// "Implementers MUST ignore CRs that don't fit a version that their controller supports" ("API versioning guide").
#[derive(Clone, Debug)]
pub struct CurrentForm {
    bundle: BundleVersion,
    /// By kind and API version.
    forms: BTreeMap<String, BTreeMap<String, Form>>,
}

/// What a schema contains in one place.
#[derive(Clone, Debug)]
struct Form {
    kind: Option<Type>,
    fields: BTreeMap<String, Form>,
    rest: Rest,
    items: Option<Box<Form>>,
    /// The values of an enum.
    values: Option<Vec<Value>>,
}

/// What the fields without a name of their own are.
#[derive(Clone, Debug)]
enum Rest {
    Unknown,
    Anything,
    Values(Box<Form>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Array,
    Boolean,
    Integer,
    IntOrString,
    Number,
    Object,
    String,
}

impl Type {
    const ALL: [(Self, &str); 6] = [
        (Self::Array, "array"),
        (Self::Boolean, "boolean"),
        (Self::Integer, "integer"),
        (Self::Number, "number"),
        (Self::Object, "object"),
        (Self::String, "string"),
    ];

    /// Null is left to the server, which removes it or replaces it with the default.
    fn has(self, value: &Value) -> bool {
        match (self, value) {
            (_, Value::Null)
            | (Self::Array, Value::Array(_))
            | (Self::Boolean, Value::Bool(_))
            | (Self::Number, Value::Number(_))
            | (Self::Object, Value::Object(_))
            | (Self::String | Self::IntOrString, Value::String(_)) => true,
            (Self::Integer | Self::IntOrString, Value::Number(number)) => {
                number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|number| number.fract() == 0.0)
            }
            _ => false,
        }
    }
}

impl Form {
    /// `is_open`: every object node keeps unknown fields.
    fn new(schema: &Schema, is_open: bool) -> Self {
        let kind = schema.kind.as_deref().and_then(|kind| Type::ALL.iter().find(|(_, name)| *name == kind));
        let kind = if schema.int_or_string { Some(Type::IntOrString) } else { kind.map(|(kind, _)| *kind) };
        let below = |schema: &Schema| Self::new(schema, is_open);
        let named = schema.properties.iter().map(|(name, schema)| (name.to_string(), below(schema)));
        let mut fields: BTreeMap<String, Form> = named.collect();
        if schema.embedded_resource {
            for name in ["apiVersion", "kind", "metadata"] {
                fields.entry(name.to_owned()).or_insert_with(Self::anything);
            }
        }
        let is_open = is_open || schema.preserve_unknown_fields == Some(true);
        let rest = match &schema.additional_properties {
            Some(AdditionalProperties::Values(values)) => Rest::Values(Box::new(below(values))),
            Some(AdditionalProperties::Allowed(true)) => Rest::Anything,
            _ if is_open => Rest::Anything,
            _ => Rest::Unknown,
        };
        let items = schema.items.as_deref().map(|items| Box::new(below(items)));
        Self { kind, fields, rest, items, values: schema.enumeration.clone() }
    }

    fn anything() -> Self {
        Self { kind: None, fields: BTreeMap::new(), rest: Rest::Anything, items: None, values: None }
    }

    /// The first place in the order of the object that the schema does not contain, with its parts in reverse order.
    fn unknown(&self, value: &Value) -> Option<(Vec<Segment>, Reason)> {
        if self.kind.is_some_and(|kind| !kind.has(value)) {
            return Some((Vec::new(), Reason::Type(value.clone())));
        }
        if self.values.as_ref().is_some_and(|values| !value.is_null() && !values.contains(value)) {
            return Some((Vec::new(), Reason::Value(value.clone())));
        }
        match value {
            Value::Object(object) => object.iter().find_map(|(name, value)| self.unknown_field(name, value)),
            Value::Array(items) => {
                let form = self.items.as_ref()?;
                let mut found = items.iter().find_map(|item| form.unknown(item))?;
                found.0.push(Segment::Items);
                Some(found)
            }
            _ => None,
        }
    }

    fn unknown_field(&self, name: &str, value: &Value) -> Option<(Vec<Segment>, Reason)> {
        let mut found = match (self.fields.get(name), &self.rest) {
            (Some(form), _) => form.unknown(value),
            (None, Rest::Values(form)) => form.unknown(value),
            (None, Rest::Anything) => None,
            (None, Rest::Unknown) => Some((Vec::new(), Reason::Field)),
        }?;
        found.0.push(Segment::Field(name.to_owned()));
        Some(found)
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Reason {
    Identity(String),
    Field,
    Value(Value),
    Type(Value),
}

/// What the current form does not contain.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Unknown {
    place: Vec<Segment>,
    reason: Reason,
}

impl Unknown {
    /// Whether it is the resource or the API version.
    pub(crate) fn is_identity(&self) -> bool {
        matches!(self.reason, Reason::Identity(_))
    }

    /// Whether it is this field, or this value of the field. `{*}` in the path is any name.
    pub(crate) fn is_at(&self, path: &Path, value: Option<&str>) -> bool {
        let is_value = match (&self.reason, value) {
            (Reason::Field, None) => true,
            (Reason::Value(found), Some(value)) => found == value,
            _ => false,
        };
        let is_same = |(found, part): (&Segment, &Segment)| {
            found == part || matches!((found, part), (Segment::Field(_), Segment::Values))
        };
        is_value && self.place.len() == path.segments().len() && self.place.iter().zip(path.segments()).all(is_same)
    }
}

impl fmt::Display for Unknown {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = Path::of(self.place.clone());
        match &self.reason {
            Reason::Identity(identity) => write!(formatter, "{identity} is not in the current form"),
            Reason::Field => write!(formatter, "the field `{place}` is not in the current form"),
            Reason::Value(value) => write!(formatter, "the value {value} of `{place}` is not in the current form"),
            Reason::Type(Value::Object(_) | Value::Array(_)) => {
                write!(formatter, "`{place}` has another type in the current form")
            }
            Reason::Type(value) => {
                write!(formatter, "the value {value} of `{place}` has another type in the current form")
            }
        }
    }
}

impl CurrentForm {
    /// What CRDs of a bundle contain.
    #[must_use]
    pub fn new(bundle: BundleVersion, crds: &[CustomResourceDefinition]) -> Self {
        let mut forms: BTreeMap<String, BTreeMap<String, Form>> = BTreeMap::new();
        for crd in crds {
            let of_kind = forms.entry(crd.names.kind.to_string()).or_default();
            for version in &crd.versions {
                let form = Form::new(&version.schema, crd.preserve_unknown_fields == Some(true));
                of_kind.insert(format!("{}/{}", crd.group, version.name), form);
            }
        }
        Self { bundle, forms }
    }

    /// The bundle of the CRDs.
    #[must_use]
    pub fn bundle(&self) -> BundleVersion {
        self.bundle
    }

    /// What the current form does not contain.
    pub(crate) fn unknown(&self, object: &Value) -> Option<Unknown> {
        let (api_version, kind) = identity(object);
        let Some(form) = self.forms.get(kind).and_then(|versions| versions.get(api_version)) else {
            return Some(Unknown { place: Vec::new(), reason: Reason::Identity(format!("{api_version} {kind}")) });
        };
        let fields = object.as_object()?.iter();
        let mut fields = fields.filter(|(name, _)| !["apiVersion", "kind", "metadata"].contains(&name.as_str()));
        let (mut place, reason) = fields.find_map(|(name, value)| form.unknown_field(name, value))?;
        place.reverse();
        Some(Unknown { place, reason })
    }
}
