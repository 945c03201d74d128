//! What a server does with an object before it validates it.
//!
//! Invariants: the order is metadata, pruning, nulls, embedded metadata, defaults. A value of the wrong type in metadata is an error of the
//! request; everywhere else it is left to validation.

use crd_model::schema::{AdditionalProperties, Schema};
use serde_json::{Map, Number, Value};

use super::error::{FieldError, Misread};
use super::metadata;
use crate::numbers::is_same;
use crate::path::Path;
use crate::{defaults, prune};

/// What the object must be.
#[derive(Clone, Copy)]
pub(super) struct Expected<'r> {
    pub(super) api_version: &'r str,
    pub(super) kind: &'r str,
    /// Whether there are embedded resources.
    pub(super) has_embedded: bool,
    pub(super) minor: u32,
}

/// The object that is validated, and its unknown fields.
pub(super) fn decode(
    schema: &Schema,
    mut object: Value,
    Expected { api_version, kind, has_embedded, minor }: Expected<'_>,
) -> Result<(Value, Vec<String>), FieldError> {
    let Some(members) = object.as_object_mut() else {
        return Err(FieldError::malformed("the object is not a JSON object"));
    };
    for (field, expected) in [("apiVersion", api_version), ("kind", kind)] {
        let problem = match members.get(field) {
            Some(Value::String(text)) if text == expected => continue,
            Some(other) => format!("expected {expected:?}, found {other}"),
            None => format!("expected {expected:?}, it is missing"),
        };
        return Err(Misread::new(&Path::ROOT.field(field), problem).into());
    }
    let mut unknown = Vec::new();
    if let Some(value) = members.get_mut("metadata") {
        metadata::coerce(value, &Path::ROOT.field("metadata"), minor, &mut unknown)?;
    }
    unknown.extend(prune::prune(schema, &mut object));
    defaults::drop_nulls(schema, &mut object);
    if has_embedded {
        let mut embedded = Embedded { minor, drops_malformed: false, unknown: Vec::new() };
        embedded.node(schema, &mut object, &Path::ROOT)?;
        embedded.unknown.sort_unstable();
        unknown.append(&mut embedded.unknown);
    }
    defaults::fill_defaults(schema, &mut object);
    Ok((object, unknown))
}

/// Brings the metadata of embedded resources into the form in which a server reads it from its storage: what is malformed is dropped.
pub(super) fn coerce_stored(schema: &Schema, object: &mut Value, minor: u32) {
    let mut embedded = Embedded { minor, drops_malformed: true, unknown: Vec::new() };
    // Nothing is refused.
    let _ = embedded.node(schema, object, &Path::ROOT);
}

/// Metadata of embedded resources.
struct Embedded {
    minor: u32,
    /// Whether what is malformed is dropped. Otherwise it is an error.
    drops_malformed: bool,
    unknown: Vec<String>,
}

impl Embedded {
    fn node(&mut self, schema: &Schema, value: &mut Value, path: &Path<'_, '_>) -> Result<(), Misread> {
        match value {
            Value::Object(object) => {
                if schema.embedded_resource && !path.is_root() {
                    self.resource(object, path)?;
                }
                for (name, member) in object {
                    match (schema.properties.get(name.as_str()), &schema.additional_properties) {
                        (Some(property), _) => self.node(property, member, &path.field(name))?,
                        (None, Some(AdditionalProperties::Values(values))) => {
                            self.node(values, member, &path.key(name))?;
                        }
                        _ => {}
                    }
                }
            }
            Value::Array(items) => {
                let Some(below) = &schema.items else { return Ok(()) };
                for (index, item) in items.iter_mut().enumerate() {
                    self.node(below, item, &path.item(index))?;
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        Ok(())
    }

    fn resource(&mut self, object: &mut Map<String, Value>, path: &Path<'_, '_>) -> Result<(), Misread> {
        if self.drops_malformed {
            self.drop_malformed(object);
        }
        for field in ["apiVersion", "kind"] {
            if object.get(field).is_some_and(|value| !value.is_string()) {
                return Err(Misread::new(&path.field(field), "must be a string"));
            }
        }
        let is_kept = |value: &Value| self.drops_malformed && !value.is_object() && !value.is_null();
        if let Some(value) = object.get_mut("metadata").filter(|value| !is_kept(value)) {
            metadata::coerce(value, &path.field("metadata"), self.minor, &mut self.unknown)?;
            if let Some(metadata) = value.as_object_mut()
                && metadata.get("creationTimestamp").is_some_and(Value::is_null)
            {
                metadata.remove("creationTimestamp");
            }
        }
        Ok(())
    }

    /// Drops each field that cannot be read. Metadata that is not an object stays.
    fn drop_malformed(&self, object: &mut Map<String, Value>) {
        object.retain(|name, value| !matches!(name.as_str(), "apiVersion" | "kind") || value.is_string());
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.retain(|name, value| {
                let mut alone = Value::Object(Map::from_iter([(name.clone(), value.clone())]));
                metadata::coerce(&mut alone, &Path::ROOT, self.minor, &mut Vec::new()).is_ok()
            });
        }
    }
}

fn members(value: &mut Value) -> Option<&mut Map<String, Value>> {
    value.as_object_mut()
}

fn metadata_of(object: &mut Value) -> Option<&mut Map<String, Value>> {
    let metadata = members(object)?.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
    metadata.as_object_mut()
}

/// A creation does not set a status that has its own endpoint.
pub(super) fn prepare_for_create(object: &mut Value, has_status: bool) {
    if has_status && let Some(object) = members(object) {
        object.remove("status");
    }
    if let Some(metadata) = metadata_of(object) {
        for field in ["creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "uid"] {
            metadata.remove(field);
        }
        metadata.insert("generation".to_owned(), Value::from(1));
    }
}

/// An update keeps the status, and the metadata that only a server changes. The generation counts changes outside of metadata.
pub(super) fn prepare_for_update(object: &mut Value, old: &Value, has_status: bool) {
    if has_status && let Some(members) = members(object) {
        match old.get("status") {
            Some(status) => drop(members.insert("status".to_owned(), status.clone())),
            None => drop(members.remove("status")),
        }
    }
    let is_changed = {
        let (old, new) = (body(old), body(object));
        old.len() != new.len()
            || old.iter().zip(&new).any(|((name, value), (other, new))| name != other || !is_same(value, new))
    };
    keep_metadata(object, old, i64::from(is_changed));
}

/// Members without the metadata, by name.
fn body(object: &Value) -> Vec<(&String, &Value)> {
    let mut members: Vec<_> =
        object.as_object().into_iter().flatten().filter(|(name, _)| *name != "metadata").collect();
    members.sort_unstable_by_key(|(name, _)| *name);
    members
}

/// An update of a status changes only the status and `managedFields`.
pub(super) fn prepare_for_status_update(object: &mut Value, old: &Value) {
    let status = members(object).and_then(|object| object.remove("status"));
    let managed = object.pointer_mut("/metadata/managedFields").map(Value::take);
    *object = old.clone();
    if let Some(metadata) = metadata_of(object) {
        match managed {
            Some(managed) => drop(metadata.insert("managedFields".to_owned(), managed)),
            None => drop(metadata.remove("managedFields")),
        }
    }
    if let Some(object) = members(object) {
        match status {
            Some(status) => drop(object.insert("status".to_owned(), status)),
            None => drop(object.remove("status")),
        }
    }
}

fn keep_metadata(object: &mut Value, old: &Value, changes: i64) {
    let old = old.get("metadata");
    let old = |field: &str| old.and_then(|metadata| metadata.get(field)).filter(|value| !value.is_null());
    let generation = old("generation").and_then(Value::as_i64).unwrap_or_default().saturating_add(changes);
    let Some(metadata) = metadata_of(object) else { return };
    match generation {
        0 => drop(metadata.remove("generation")),
        generation => drop(metadata.insert("generation".to_owned(), Value::from(generation))),
    }
    for field in ["creationTimestamp", "deletionTimestamp"] {
        if let Some(value) = old(field) {
            metadata.insert(field.to_owned(), value.clone());
        }
    }
    for field in ["uid", "deletionGracePeriodSeconds"] {
        if let (false, Some(value)) = (metadata.contains_key(field), old(field)) {
            metadata.insert(field.to_owned(), value.clone());
        }
    }
}

/// Numbers as they are read from storage: a float without a fraction was written as an integer.
pub(super) fn normalise_numbers(value: &mut Value) {
    match value {
        Value::Number(number) if number.as_i64().is_none() => {
            let Some(float) = number.as_f64() else { return };
            // 2^63 and 2^64: the first floats that the types do not hold.
            const SIGNED: f64 = 9_223_372_036_854_775_808.0;
            const UNSIGNED: f64 = 18_446_744_073_709_551_616.0;
            if float.fract() == 0.0 && float.abs() < SIGNED {
                *number = Number::from(float as i64);
            } else if float.fract() == 0.0 && (SIGNED..UNSIGNED).contains(&float) {
                *number = Number::from(float as u64);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(normalise_numbers),
        Value::Object(object) => object.values_mut().for_each(normalise_numbers),
        _ => {}
    }
}
