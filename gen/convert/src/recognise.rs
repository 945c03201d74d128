//! Whether an object has the current form: its API version, fields, types and enum values are those of the current schemas.
//!
//! Invariants: only names, types and enum values are checked. The recursion ends where the schema does.

use std::collections::BTreeMap;
use std::fmt;

use crd_model::schema::{AdditionalProperties, Schema};
use crd_model::{BundleVersion, CustomResourceDefinition};
use serde_json::{Number, Value};

use crate::lens::identity;
use crate::path::{Path, Segment};

/// What the schemas of one bundle contain, by API version and kind.
///
/// "Implementers MUST ignore CRs that don't fit a version that their controller supports" ("API versioning guide").
#[derive(Clone, Debug)]
pub struct CurrentForm {
    bundle: BundleVersion,
    /// By kind and API version: the schema, and whether every object node keeps unknown fields.
    forms: BTreeMap<String, BTreeMap<String, (Schema, bool)>>,
}

/// Whether a value has the type of a node. Null is left to the server, which removes it or replaces it with the default.
fn has_type(schema: &Schema, value: &Value) -> bool {
    let is_integer = |number: &Number| {
        number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|number| number.fract() == 0.0)
    };
    match (schema.kind.as_deref(), value) {
        (_, Value::Null) => true,
        (_, value) if schema.int_or_string => value.is_string() || value.as_number().is_some_and(is_integer),
        (Some("array"), value) => value.is_array(),
        (Some("boolean"), value) => value.is_boolean(),
        (Some("integer"), value) => value.as_number().is_some_and(is_integer),
        (Some("number"), value) => value.is_number(),
        (Some("object"), value) => value.is_object(),
        (Some("string"), value) => value.is_string(),
        _ => true,
    }
}

/// The first place in the order of the object that the schema does not contain, with its parts in reverse order.
fn unknown(schema: &Schema, is_open: bool, value: &Value) -> Option<(Vec<Segment>, Reason)> {
    if !has_type(schema, value) {
        return Some((Vec::new(), Reason::Type(value.clone())));
    }
    if schema.enumeration.as_ref().is_some_and(|values| !value.is_null() && !values.contains(value)) {
        return Some((Vec::new(), Reason::Value(value.clone())));
    }
    match value {
        Value::Object(object) => object.iter().find_map(|(name, value)| unknown_field(schema, is_open, name, value)),
        Value::Array(items) => {
            let schema = schema.items.as_deref()?;
            let mut found = items.iter().find_map(|item| unknown(schema, is_open, item))?;
            found.0.push(Segment::Item);
            Some(found)
        }
        _ => None,
    }
}

fn unknown_field(schema: &Schema, is_open: bool, name: &str, value: &Value) -> Option<(Vec<Segment>, Reason)> {
    let mut found = match (schema.properties.get(name), &schema.additional_properties) {
        (Some(below), _) => unknown(below, is_open, value),
        _ if schema.embedded_resource && matches!(name, "apiVersion" | "kind" | "metadata") => None,
        (None, Some(AdditionalProperties::Values(below))) => unknown(below, is_open, value),
        (None, Some(AdditionalProperties::Allowed(true))) => None,
        _ if is_open || schema.preserve_unknown_fields == Some(true) => None,
        _ => Some((Vec::new(), Reason::Field)),
    }?;
    found.0.push(Segment::Field(name.to_owned()));
    Some(found)
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
            found == part || matches!((found, part), (Segment::Field(_), Segment::Value))
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
        let mut forms: BTreeMap<String, BTreeMap<String, (Schema, bool)>> = BTreeMap::new();
        for crd in crds {
            let of_kind = forms.entry(crd.names.kind.to_string()).or_default();
            let is_open = crd.preserve_unknown_fields == Some(true);
            for version in &crd.versions {
                of_kind.insert(format!("{}/{}", crd.group, version.name), (version.schema.clone(), is_open));
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
        let Some((schema, is_open)) = self.forms.get(kind).and_then(|versions| versions.get(api_version)) else {
            return Some(Unknown { place: Vec::new(), reason: Reason::Identity(format!("{api_version} {kind}")) });
        };
        let fields = object.as_object()?.iter();
        let mut fields = fields.filter(|(name, _)| !["apiVersion", "kind", "metadata"].contains(&name.as_str()));
        let (mut place, reason) = fields.find_map(|(name, value)| unknown_field(schema, *is_open, name, value))?;
        place.reverse();
        Some(Unknown { place, reason })
    }
}
