//! Metadata of objects and of embedded resources: how a server reads it, and what it demands of it.
//!
//! Invariants: after [`coerce`], metadata has only the fields of ObjectMeta, each with a value of its type; empty fields are absent.

use std::collections::BTreeSet;

use crd_model::crd::ANNOTATIONS_LIMIT;
use serde_json::{Map, Value};

use super::error::{ErrorKind, FieldError, Report, Shown};
use super::go_text::{is_printable, sorted};
use super::names;
use super::path::Path;
use crate::validate::metadata::{Kind, OBJECT_META, time};
use crate::validate::numbers::is_same;
use crd_model::schema::kind_of;

/// Brings metadata into the form that a server keeps. Unknown fields are dropped and their paths collected.
pub(super) fn coerce(value: &mut Value, path: &str, minor: u32, unknown: &mut Vec<String>) -> Result<(), FieldError> {
    let mut object = match value.take() {
        Value::Null => Map::new(),
        Value::Object(object) => object,
        other => return Err(mistyped(path, "an object", &other)),
    };
    fields(&mut object, &OBJECT_META, path, unknown)?;
    // Older servers write the time of an object without one as null.
    if minor < 34 && !object.contains_key("creationTimestamp") {
        object.insert("creationTimestamp".to_owned(), Value::Null);
    }
    *value = Value::Object(object);
    Ok(())
}

fn mistyped(path: &str, expected: &str, found: &Value) -> FieldError {
    FieldError::malformed(format!("{path}: expected {expected}, found {}", kind_of(found)))
}

fn fields(
    object: &mut Map<String, Value>,
    known: &[(&str, Kind)],
    path: &str,
    unknown: &mut Vec<String>,
) -> Result<(), FieldError> {
    let mut names: Vec<String> = object.keys().cloned().collect();
    names.sort_unstable();
    for name in names {
        let path = format!("{path}.{name}");
        let Some((_, kind)) = known.iter().find(|(known, _)| *known == name) else {
            unknown.push(path);
            object.remove(&name);
            continue;
        };
        let Some(value) = object.get_mut(&name) else { continue };
        if !field(value, *kind, &path, unknown)? {
            object.remove(&name);
        }
    }
    Ok(())
}

/// Whether the field stays: it is not empty.
fn field(value: &mut Value, kind: Kind, path: &str, unknown: &mut Vec<String>) -> Result<bool, FieldError> {
    if value.is_null() {
        return Ok(false);
    }
    let expected = match (kind, &mut *value) {
        (Kind::Text, Value::String(text)) => return Ok(!text.is_empty()),
        // A pointer stays with any value.
        (Kind::Boolean, Value::Bool(_)) | (Kind::Any, _) => return Ok(true),
        (Kind::Integer | Kind::OptionalInteger, Value::Number(number)) => {
            let whole =
                number.as_i64().or_else(|| number.as_f64().filter(|float| is_whole(*float)).map(|float| float as i64));
            if let Some(integer) = whole {
                *value = Value::from(integer);
                return Ok(integer != 0 || matches!(kind, Kind::OptionalInteger));
            }
            "an integer"
        }
        (Kind::Time, Value::String(text)) => match time(text) {
            Some(time) => {
                *text = time;
                return Ok(true);
            }
            None => "a time like 2006-01-02T15:04:05Z",
        },
        (Kind::TextMap, Value::Object(object)) => {
            for (name, value) in object.iter_mut() {
                text(value, || format!("{path}.{name}"))?;
            }
            return Ok(!object.is_empty());
        }
        (Kind::TextList, Value::Array(items)) => {
            for (index, item) in items.iter_mut().enumerate() {
                text(item, || format!("{path}[{index}]"))?;
            }
            return Ok(!items.is_empty());
        }
        (Kind::List(known), Value::Array(items)) => {
            for (index, item) in items.iter_mut().enumerate() {
                list_item(item, known, &format!("{path}[{index}]"), unknown)?;
            }
            return Ok(!items.is_empty());
        }
        (Kind::Text, _) => "a string",
        (Kind::Integer | Kind::OptionalInteger, _) => "an integer",
        (Kind::Boolean, _) => "true or false",
        (Kind::Time, _) => "a time like 2006-01-02T15:04:05Z",
        (Kind::TextMap, _) => "a map of strings",
        (Kind::TextList, _) => "a list of strings",
        (Kind::List(_), _) => "a list of objects",
    };
    Err(mistyped(path, expected, value))
}

fn is_whole(float: f64) -> bool {
    float.fract() == 0.0 && float.abs() < 9.2e18
}

/// A text of a map or list. Null reads as the empty text.
fn text(value: &mut Value, path: impl FnOnce() -> String) -> Result<(), FieldError> {
    match value {
        Value::String(_) => Ok(()),
        Value::Null => {
            *value = Value::String(String::new());
            Ok(())
        }
        other => Err(mistyped(&path(), "a string", other)),
    }
}

fn list_item(
    item: &mut Value,
    known: &[(&str, Kind)],
    path: &str,
    unknown: &mut Vec<String>,
) -> Result<(), FieldError> {
    let mut object = match item.take() {
        Value::Null => Map::new(),
        Value::Object(object) => object,
        other => return Err(mistyped(path, "an object", &other)),
    };
    fields(&mut object, known, path, unknown)?;
    // These fields of an owner are written even if they are empty.
    for field in OWNER_FIELDS.into_iter().filter(|_| known.iter().any(|(name, _)| *name == "uid")) {
        object.entry(field).or_insert_with(|| Value::String(String::new()));
    }
    *item = Value::Object(object);
    Ok(())
}

const OWNER_FIELDS: [&str; 4] = ["apiVersion", "kind", "name", "uid"];

/// Whose metadata is checked.
#[derive(Clone, Copy)]
pub(super) struct Owner {
    pub(super) is_namespaced: bool,
    /// Whether the name must fit a URL path only, as that of an embedded resource.
    pub(super) is_checked_as_segment: bool,
    pub(super) minor: u32,
}

fn member<'o>(object: &'o Value, field: &str) -> Option<&'o Value> {
    object.get("metadata")?.get(field).filter(|value| !value.is_null())
}

fn text_of<'o>(object: &'o Value, field: &str) -> &'o str {
    member(object, field).and_then(Value::as_str).unwrap_or_default()
}

/// Checks the metadata of an object at the path of the metadata.
pub(super) fn check(object: &Value, owner: Owner, path: Path<'_>, report: &mut Report) {
    let names = |text: &str, is_prefix| match owner.is_checked_as_segment {
        true => names::path_segment(text, is_prefix),
        false => names::subdomain(text, is_prefix),
    };
    let invalid = |report: &mut Report, field: &'static str, text: &str, problems: Vec<String>| {
        let path = path.clone().field(field);
        problems.iter().for_each(|problem| report.error(ErrorKind::Invalid, &path, Shown::Text(text), problem));
    };
    let (name, prefix, namespace) =
        (text_of(object, "name"), text_of(object, "generateName"), text_of(object, "namespace"));
    if !prefix.is_empty() {
        invalid(report, "generateName", prefix, names(prefix, true));
    }
    if !name.is_empty() {
        invalid(report, "name", name, names(name, false));
    } else if prefix.is_empty() {
        let path = path.clone().field("name");
        report.error(ErrorKind::Required, &path, Shown::Omitted, "name or generateName is required");
    }
    match (owner.is_namespaced, namespace) {
        (true, "") => report.error(ErrorKind::Required, &path.clone().field("namespace"), Shown::Omitted, ""),
        (true, namespace) => invalid(report, "namespace", namespace, names::label(namespace)),
        (false, "") => {}
        (false, _) => {
            let path = path.clone().field("namespace");
            report.error(ErrorKind::Forbidden, &path, Shown::Omitted, "not allowed on this type");
        }
    }
    negative_generation(object, &path, report);
    check_maps(object, owner.minor, &path, report);
    check_owners(object, owner.minor, &path, report);
    check_finalizers(object, owner.minor, &path, report);
    check_managed_fields(object, owner.minor, &path, report);
}

/// Checks the metadata of an embedded resource, which need not have a name.
pub(super) fn check_embedded(resource: &Value, owner: Owner, path: Path<'_>, report: &mut Report) {
    let before = report.errors.len();
    check(resource, owner, path, report);
    if text_of(resource, "name").is_empty() {
        let is_about_name = |error: &FieldError| error.message.ends_with("name or generateName is required");
        let about = report.errors[before..].iter().position(is_about_name);
        about.map(|index| report.errors.remove(before + index));
    }
}

fn negative_generation(object: &Value, path: &Path<'_>, report: &mut Report) {
    if let Some(generation) = member(object, "generation").filter(|value| value.as_i64().is_some_and(i64::is_negative))
    {
        let path = path.clone().field("generation");
        report.error(ErrorKind::Invalid, &path, Shown::Value(generation), "must be greater than or equal to 0");
    }
}

fn pairs<'o>(object: &'o Value, field: &str) -> Vec<(&'o String, &'o str)> {
    let map = member(object, field).and_then(Value::as_object);
    map.map(sorted)
        .unwrap_or_default()
        .into_iter()
        .map(|(key, value)| (key, value.as_str().unwrap_or_default()))
        .collect()
}

/// Labels and annotations.
fn check_maps(object: &Value, minor: u32, path: &Path<'_>, report: &mut Report) {
    let labels = path.clone().field("labels");
    for (key, value) in pairs(object, "labels") {
        for problem in names::key(key, minor) {
            report.error(ErrorKind::Invalid, &labels, Shown::Text(key), &problem);
        }
        for problem in names::label_value(value) {
            report.error(ErrorKind::Invalid, &labels, Shown::Text(value), &problem);
        }
    }
    let annotations = path.clone().field("annotations");
    let mut size = 0;
    for (key, value) in pairs(object, "annotations") {
        size += key.len() + value.len();
        for problem in names::key(&key.to_lowercase(), minor) {
            report.error(ErrorKind::Invalid, &annotations, Shown::Text(key), &problem);
        }
    }
    if size > ANNOTATIONS_LIMIT {
        report.error(
            ErrorKind::TooLong,
            &annotations,
            Shown::Omitted,
            &format!("may not be more than {ANNOTATIONS_LIMIT} bytes"),
        );
    }
}

/// How many errors repeat one long text.
const MOST_REPEATED: usize = 10;

fn check_owners(object: &Value, minor: u32, path: &Path<'_>, report: &mut Report) {
    let path = path.clone().field("ownerReferences");
    let Some(all @ Value::Array(owners)) = member(object, "ownerReferences") else { return };
    let mut controller: Option<String> = None;
    let mut controllers = 0;
    for (index, owner) in owners.iter().enumerate() {
        let text = |field: &str| owner.get(field).and_then(Value::as_str).unwrap_or_default();
        let mut at = path.clone();
        // Only newer servers say which one.
        if minor >= 37 {
            at.push_item(index);
        }
        let (group, version) = match text("apiVersion") {
            "/" => (Some(""), ""),
            text if text.matches('/').count() > 1 => (None, ""),
            text => text.split_once('/').map_or((Some(""), text), |(group, version)| (Some(group), version)),
        };
        for field in OWNER_FIELDS {
            let value = text(field);
            let at = at.clone().field(field);
            let is_bad_version = field == "apiVersion" && version.is_empty();
            if minor >= 37 && value.is_empty() {
                report.error(ErrorKind::Required, &at, Shown::Omitted, "must not be empty");
            } else if minor >= 37 && is_bad_version {
                report.error(ErrorKind::Invalid, &at, Shown::Text(value), "must be <group>/<version> or <version>");
            } else if is_bad_version {
                report.error(ErrorKind::Invalid, &at, Shown::Text(value), "version must not be empty");
            } else if value.is_empty() {
                report.error(ErrorKind::Invalid, &at, Shown::Text(value), "must not be empty");
            }
        }
        if (group, version, text("kind")) == (Some(""), "v1", "Event") {
            report.error(
                ErrorKind::Invalid,
                &at,
                Shown::Value(owner),
                "/v1, Kind=Event is disallowed from being an owner",
            );
        }
        if owner.get("controller") == Some(&Value::Bool(true)) {
            let name = format!("{}/{}", text("kind"), text("name"));
            match &controller {
                None => controller = Some(name),
                Some(first) => {
                    let detail = format!(
                        "Only one reference can have Controller set to true. Found \"true\" in references for {first} and {name}"
                    );
                    // Each of these errors shows all owners.
                    controllers += 1;
                    if controllers <= MOST_REPEATED {
                        report.error(ErrorKind::Invalid, &path, Shown::Value(all), &detail);
                    }
                }
            }
        }
    }
}

fn finalizers(object: &Value) -> BTreeSet<&str> {
    member(object, "finalizers").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

fn check_finalizers(object: &Value, minor: u32, path: &Path<'_>, report: &mut Report) {
    let path = path.clone().field("finalizers");
    let Some(value) = member(object, "finalizers") else { return };
    for finalizer in value.as_array().into_iter().flatten().filter_map(Value::as_str) {
        for problem in names::key(finalizer, minor) {
            report.error(ErrorKind::Invalid, &path, Shown::Text(finalizer), &problem);
        }
    }
    let found = finalizers(object);
    if found.contains("orphan") && found.contains("foregroundDeletion") {
        let detail = "finalizer orphan and foregroundDeletion cannot be both set";
        report.error(ErrorKind::Invalid, &path, Shown::Value(value), detail);
    }
}

fn check_managed_fields(object: &Value, minor: u32, path: &Path<'_>, report: &mut Report) {
    for (index, entry) in member(object, "managedFields").and_then(Value::as_array).into_iter().flatten().enumerate() {
        let mut path = path.clone().field("managedFields");
        path.push_item(index);
        let text = |field: &str| entry.get(field).and_then(Value::as_str).unwrap_or_default();
        let operation = path.clone().field("operation");
        match text("operation") {
            "Apply" | "Update" => {}
            "" if minor >= 37 => report.error(ErrorKind::Required, &operation, Shown::Omitted, "must not be empty"),
            other if minor >= 37 => {
                let detail = "supported values: \"Apply\", \"Update\"";
                report.error(ErrorKind::NotSupported, &operation, Shown::Text(other), detail);
            }
            other => {
                report.error(ErrorKind::Invalid, &operation, Shown::Text(other), "must be `Apply` or `Update`");
            }
        }
        let kind = text("fieldsType");
        if !matches!(kind, "" | "FieldsV1") {
            let path = path.clone().field("fieldsType");
            report.error(ErrorKind::Invalid, &path, Shown::Text(kind), "must be `FieldsV1`");
        }
        for (field, most) in [("manager", 128), ("subresource", 256)] {
            let (path, text) = (path.clone().field(field), text(field));
            if text.len() > most {
                report.error(ErrorKind::TooLong, &path, Shown::Omitted, &format!("may not be more than {most} bytes"));
            }
            let unprintable =
                text.char_indices().filter(|(_, character)| field == "manager" && !is_printable(*character));
            for (position, character) in unprintable.take(MOST_REPEATED) {
                let detail = format!("invalid character U+{:04X} (at position {position})", u32::from(character));
                report.error(ErrorKind::Invalid, &path, Shown::Text(text), &detail);
            }
        }
    }
}

/// Fields that an update cannot change. The server compares absent texts as empty.
const IMMUTABLE: [&str; 6] =
    ["name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"];

/// Checks the metadata of an update against that of the stored object.
pub(super) fn check_update(object: &Value, old: &Value, report: &mut Report) {
    let minor = report.minor;
    let path = Path::root().field("metadata");
    if member(old, "deletionTimestamp").is_some() {
        let known = finalizers(old);
        let added: BTreeSet<&str> = finalizers(object).difference(&known).copied().collect();
        if !added.is_empty() {
            let added: Vec<String> = added.into_iter().map(super::go_text::quoted).collect();
            let detail = format!(
                "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
                added.join(", ")
            );
            report.error(ErrorKind::Forbidden, &path.clone().field("finalizers"), Shown::Omitted, &detail);
        }
    }
    if text_of(object, "resourceVersion").is_empty() {
        let path = path.clone().field("resourceVersion");
        report.error(ErrorKind::Invalid, &path, Shown::Text(""), "must be specified for an update");
    }
    if minor >= 37 {
        negative_generation(object, &path, report);
    }
    let generation = |object| member(object, "generation").and_then(Value::as_i64).unwrap_or_default();
    if generation(object) < generation(old) {
        let value = Value::from(generation(object));
        let path = path.clone().field("generation");
        report.error(ErrorKind::Invalid, &path, Shown::Value(&value), "must not be decremented");
    }
    for field in IMMUTABLE {
        let (new, old) = (member(object, field), member(old, field));
        let is_equal = match (new, old) {
            (Some(new), Some(old)) => is_same(new, old),
            (new, old) => new.is_none() && old.is_none(),
        };
        if !is_equal {
            let shown = match new {
                Some(value) => Shown::Value(value),
                None if matches!(field, "name" | "namespace" | "uid") => Shown::Text(""),
                None => Shown::Value(&Value::Null),
            };
            report.error(ErrorKind::Invalid, &path.clone().field(field), shown, "field is immutable");
        }
    }
    check_maps(object, minor, &path, report);
    check_owners(object, minor, &path, report);
    check_managed_fields(object, minor, &path, report);
}

/// What a server warns of in new finalizers.
pub(super) fn finalizer_warnings(object: &Value, old: Option<&Value>, minor: u32) -> Vec<String> {
    let known = old.map(finalizers).unwrap_or_default();
    let added: Vec<&str> = finalizers(object).difference(&known).copied().collect();
    let mut warnings = Vec::new();
    for name in added {
        let mut warn =
            |text: &str| warnings.push(format!("metadata.finalizers: {}: {text}", super::go_text::quoted(name)));
        names::key(name, minor).iter().for_each(|problem| warn(problem));
        if name.contains('/') || matches!(name, "orphan" | "foregroundDeletion" | "kubernetes") {
            continue;
        }
        let slash = if name.contains('.') { " including a path (/)" } else { "" };
        warn(&format!(
            "prefer a domain-qualified finalizer name{slash} to avoid accidental conflicts with other finalizer writers"
        ));
    }
    warnings
}
