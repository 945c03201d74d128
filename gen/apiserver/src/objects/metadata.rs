//! Metadata of objects and of embedded resources: how a server reads it, and what it demands of it.
//!
//! Invariants: after [`coerce`], metadata has only the fields of ObjectMeta, each with a value of its type; empty fields are absent.

use std::collections::BTreeSet;

use crd_cel::names::{self, Unit};
use crd_model::crd::ANNOTATIONS_LIMIT;
use serde_json::{Map, Value};

use super::Warning;
use super::error::{ErrorKind, Misread, Report, Shown};
use crate::formats::checker;
use crate::go_text::{is_printable, quoted, sorted};
use crate::numbers::is_same;
use crate::path::Path;
use crd_model::schema::kind_of;

/// The kinds that fields of ObjectMeta have.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Text,
    Integer,
    /// An integer that is written even if it is 0.
    OptionalInteger,
    Boolean,
    Time,
    TextMap,
    TextList,
    /// A list of objects with these fields; any field where there are none.
    List(&'static [(&'static str, Kind)]),
    Any,
}

const OWNER_REFERENCE: [(&str, Kind); 6] = [
    ("apiVersion", Kind::Text),
    ("blockOwnerDeletion", Kind::Boolean),
    ("controller", Kind::Boolean),
    ("kind", Kind::Text),
    ("name", Kind::Text),
    ("uid", Kind::Text),
];

const MANAGED_FIELDS: [(&str, Kind); 7] = [
    ("apiVersion", Kind::Text),
    ("fieldsType", Kind::Text),
    ("fieldsV1", Kind::Any),
    ("manager", Kind::Text),
    ("operation", Kind::Text),
    ("subresource", Kind::Text),
    ("time", Kind::Time),
];

/// The fields of an object's metadata.
pub(crate) const OBJECT_META: [(&str, Kind); 15] = [
    ("annotations", Kind::TextMap),
    ("creationTimestamp", Kind::Time),
    ("deletionGracePeriodSeconds", Kind::OptionalInteger),
    ("deletionTimestamp", Kind::Time),
    ("finalizers", Kind::TextList),
    ("generateName", Kind::Text),
    ("generation", Kind::Integer),
    ("labels", Kind::TextMap),
    ("managedFields", Kind::List(&MANAGED_FIELDS)),
    ("name", Kind::Text),
    ("namespace", Kind::Text),
    ("ownerReferences", Kind::List(&OWNER_REFERENCE)),
    ("resourceVersion", Kind::Text),
    ("selfLink", Kind::Text),
    ("uid", Kind::Text),
];

/// Brings metadata into the form that a server keeps. Unknown fields are dropped and their paths collected.
pub(crate) fn coerce(
    value: &mut Value,
    path: &Path<'_, '_>,
    minor: u32,
    unknown: &mut Vec<String>,
) -> Result<(), Misread> {
    let mut object = taken(value, path)?;
    fields(&mut object, &OBJECT_META, path, unknown)?;
    // Older servers write the time of an object without one as null.
    if minor < 34 && !object.contains_key("creationTimestamp") {
        object.insert("creationTimestamp".to_owned(), Value::Null);
    }
    *value = Value::Object(object);
    Ok(())
}

/// The object, taken out of its place. Null reads as an empty one.
fn taken(value: &mut Value, path: &Path<'_, '_>) -> Result<Map<String, Value>, Misread> {
    match value.take() {
        Value::Null => Ok(Map::new()),
        Value::Object(object) => Ok(object),
        other => Err(mistyped(path, "an object", &other)),
    }
}

fn mistyped(path: &Path<'_, '_>, expected: &str, found: &Value) -> Misread {
    Misread::new(path, format!("expected {expected}, found {}", kind_of(found)))
}

fn fields(
    object: &mut Map<String, Value>,
    known: &[(&str, Kind)],
    path: &Path<'_, '_>,
    unknown: &mut Vec<String>,
) -> Result<(), Misread> {
    let mut names: Vec<String> = object.keys().cloned().collect();
    names.sort_unstable();
    for name in names {
        let path = path.field(&name);
        let Some((_, kind)) = known.iter().find(|(known, _)| *known == name) else {
            unknown.push(path.trail().bracketed());
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
fn field(value: &mut Value, kind: Kind, path: &Path<'_, '_>, unknown: &mut Vec<String>) -> Result<bool, Misread> {
    if value.is_null() {
        return Ok(false);
    }
    match (kind, &mut *value) {
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
        }
        (Kind::Time, Value::String(text)) => {
            if let Some(time) = time(text) {
                *text = time;
                return Ok(true);
            }
        }
        (Kind::TextMap, Value::Object(object)) => {
            for (name, value) in object.iter_mut() {
                text(value, &path.field(name))?;
            }
            return Ok(!object.is_empty());
        }
        (Kind::TextList, Value::Array(items)) => {
            for (index, item) in items.iter_mut().enumerate() {
                text(item, &path.item(index))?;
            }
            return Ok(!items.is_empty());
        }
        (Kind::List(known), Value::Array(items)) => {
            for (index, item) in items.iter_mut().enumerate() {
                list_item(item, known, &path.item(index), unknown)?;
            }
            return Ok(!items.is_empty());
        }
        _ => {}
    }
    let expected = match kind {
        Kind::Any => "any value",
        Kind::Text => "a string",
        Kind::Integer | Kind::OptionalInteger => "an integer",
        Kind::Boolean => "true or false",
        Kind::Time => "a time like 2006-01-02T15:04:05Z",
        Kind::TextMap => "a map of strings",
        Kind::TextList => "a list of strings",
        Kind::List(_) => "a list of objects",
    };
    Err(mistyped(path, expected, value))
}

fn is_whole(float: f64) -> bool {
    float.fract() == 0.0 && float.abs() < 9.2e18
}

/// A text of a map or list. Null reads as the empty text.
fn text(value: &mut Value, path: &Path<'_, '_>) -> Result<(), Misread> {
    match value {
        Value::String(_) => Ok(()),
        Value::Null => {
            *value = Value::String(String::new());
            Ok(())
        }
        other => Err(mistyped(path, "a string", other)),
    }
}

fn list_item(
    item: &mut Value,
    known: &[(&str, Kind)],
    path: &Path<'_, '_>,
    unknown: &mut Vec<String>,
) -> Result<(), Misread> {
    let mut object = taken(item, path)?;
    fields(&mut object, known, path, unknown)?;
    // These fields of an owner are written even if they are empty.
    for field in OWNER_FIELDS.into_iter().filter(|_| known.iter().any(|(name, _)| *name == "uid")) {
        object.entry(field).or_insert_with(|| Value::String(String::new()));
    }
    *item = Value::Object(object);
    Ok(())
}

/// RFC 3339 as Go reads it: the format `date-time`, and numbers of the zone that exist.
fn is_time(text: &str) -> bool {
    let is_date_time = checker("datetime", super::MINORS.1).and_then(|check| check(text)) == Some(true);
    let bytes = text.as_bytes();
    let zone = match bytes {
        [.., b'+' | b'-', hour, _, b':', minute, _] => *hour <= b'2' && *minute <= b'5',
        [.., b'Z'] => true,
        _ => false,
    };
    let separators = bytes.get(10) == Some(&b'T')
        && bytes.get(19).is_some_and(|byte| matches!(byte, b'.' | b',' | b'Z' | b'+' | b'-'));
    is_date_time && zone && separators
}

/// A time as a server writes it: in UTC, without fractions of a second. Nothing if it is not a time.
fn time(text: &str) -> Option<String> {
    crd_cel::Timestamp::parse(text).filter(|_| is_time(text)).map(crd_cel::Timestamp::in_seconds)
}

const OWNER_FIELDS: [&str; 4] = ["apiVersion", "kind", "name", "uid"];

/// Whose metadata is checked.
#[derive(Clone, Copy)]
pub(super) struct Owner {
    pub(super) is_namespaced: bool,
    /// Whether the name must fit a URL path only, as that of an embedded resource.
    pub(super) is_checked_as_segment: bool,
    /// Whether there must be a name, or the prefix of one. An embedded resource needs none.
    pub(super) needs_name: bool,
}

fn member<'o>(metadata: &'o Value, field: &str) -> Option<&'o Value> {
    metadata.get(field).filter(|value| !value.is_null())
}

fn text_of<'o>(metadata: &'o Value, field: &str) -> &'o str {
    member(metadata, field).and_then(Value::as_str).unwrap_or_default()
}

/// The name of an embedded resource.
fn path_segment(text: &str, is_prefix: bool) -> Vec<String> {
    if !is_prefix && matches!(text, "." | "..") {
        return vec![format!("may not be '{text}'")];
    }
    ["/", "%"].into_iter().filter(|part| text.contains(part)).map(|part| format!("may not contain '{part}'")).collect()
}

/// Checks the metadata of an object, which is at this path.
pub(super) fn check(metadata: &Value, owner: Owner, path: &Path<'_, '_>, report: &mut Report) {
    let names = |text: &str, is_prefix| match owner.is_checked_as_segment {
        true => path_segment(text, is_prefix),
        false => names::subdomain(text, is_prefix, Unit::Characters),
    };
    let invalid = |report: &mut Report, field: &'static str, text: &str, problems: Vec<String>| {
        let path = path.field(field);
        problems.iter().for_each(|problem| report.invalid(&path, Shown::Text(text), problem));
    };
    let (name, prefix, namespace) =
        (text_of(metadata, "name"), text_of(metadata, "generateName"), text_of(metadata, "namespace"));
    if !prefix.is_empty() {
        invalid(report, "generateName", prefix, names(prefix, true));
    }
    if !name.is_empty() {
        invalid(report, "name", name, names(name, false));
    } else if prefix.is_empty() && owner.needs_name {
        let path = path.field("name");
        report.error(ErrorKind::Required, &path, Shown::Omitted, "name or generateName is required");
    }
    match (owner.is_namespaced, namespace) {
        (true, "") => report.error(ErrorKind::Required, &path.field("namespace"), Shown::Omitted, ""),
        (true, namespace) => invalid(report, "namespace", namespace, names::label(namespace, Unit::Characters)),
        (false, "") => {}
        (false, _) => {
            let path = path.field("namespace");
            report.error(ErrorKind::Forbidden, &path, Shown::Omitted, "not allowed on this type");
        }
    }
    negative_generation(metadata, path, report);
    check_maps(metadata, path, report);
    check_owners(metadata, path, report);
    check_finalizers(metadata, path, report);
    check_managed_fields(metadata, path, report);
}

fn negative_generation(metadata: &Value, path: &Path<'_, '_>, report: &mut Report) {
    if let Some(generation) =
        member(metadata, "generation").filter(|value| value.as_i64().is_some_and(i64::is_negative))
    {
        let path = path.field("generation");
        report.invalid(&path, Shown::Value(generation), "must be greater than or equal to 0");
    }
}

fn pairs<'o>(metadata: &'o Value, field: &str) -> Vec<(&'o String, &'o str)> {
    let map = member(metadata, field).and_then(Value::as_object);
    map.map(sorted)
        .unwrap_or_default()
        .into_iter()
        .map(|(key, value)| (key, value.as_str().unwrap_or_default()))
        .collect()
}

/// Labels and annotations.
fn check_maps(metadata: &Value, path: &Path<'_, '_>, report: &mut Report) {
    let labels = path.field("labels");
    for (key, value) in pairs(metadata, "labels") {
        for problem in names::key(key, report.minor, Unit::Characters) {
            report.invalid(&labels, Shown::Text(key), &problem);
        }
        for problem in names::label_value(value, Unit::Characters) {
            report.invalid(&labels, Shown::Text(value), &problem);
        }
    }
    let annotations = path.field("annotations");
    let mut size = 0;
    for (key, value) in pairs(metadata, "annotations") {
        size += key.len() + value.len();
        for problem in names::key(&key.to_lowercase(), report.minor, Unit::Characters) {
            report.invalid(&annotations, Shown::Text(key), &problem);
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

fn check_owners(metadata: &Value, path: &Path<'_, '_>, report: &mut Report) {
    let minor = report.minor;
    let path = path.field("ownerReferences");
    let Some(all @ Value::Array(owners)) = member(metadata, "ownerReferences") else { return };
    let mut controller: Option<String> = None;
    let mut controllers = 0;
    for (index, owner) in owners.iter().enumerate() {
        let text = |field: &str| owner.get(field).and_then(Value::as_str).unwrap_or_default();
        // Only newer servers say which one.
        let at = if minor >= 37 { path.item(index) } else { path };
        let (group, version) = match text("apiVersion") {
            "/" => (Some(""), ""),
            text if text.matches('/').count() > 1 => (None, ""),
            text => text.split_once('/').map_or((Some(""), text), |(group, version)| (Some(group), version)),
        };
        for field in OWNER_FIELDS {
            let value = text(field);
            let at = at.field(field);
            let is_bad_version = field == "apiVersion" && version.is_empty();
            if minor >= 37 && value.is_empty() {
                report.error(ErrorKind::Required, &at, Shown::Omitted, "must not be empty");
            } else if minor >= 37 && is_bad_version {
                report.invalid(&at, Shown::Text(value), "must be <group>/<version> or <version>");
            } else if is_bad_version {
                report.invalid(&at, Shown::Text(value), "version must not be empty");
            } else if value.is_empty() {
                report.invalid(&at, Shown::Text(value), "must not be empty");
            }
        }
        if (group, version, text("kind")) == (Some(""), "v1", "Event") {
            report.invalid(&at, Shown::Value(owner), "/v1, Kind=Event is disallowed from being an owner");
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
                        report.invalid(&path, Shown::Value(all), &detail);
                    }
                }
            }
        }
    }
}

fn finalizers(metadata: &Value) -> BTreeSet<&str> {
    member(metadata, "finalizers").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

fn check_finalizers(metadata: &Value, path: &Path<'_, '_>, report: &mut Report) {
    let path = path.field("finalizers");
    let Some(value) = member(metadata, "finalizers") else { return };
    for finalizer in value.as_array().into_iter().flatten().filter_map(Value::as_str) {
        for problem in names::key(finalizer, report.minor, Unit::Characters) {
            report.invalid(&path, Shown::Text(finalizer), &problem);
        }
    }
    let found = finalizers(metadata);
    if found.contains("orphan") && found.contains("foregroundDeletion") {
        let detail = "finalizer orphan and foregroundDeletion cannot be both set";
        report.invalid(&path, Shown::Value(value), detail);
    }
}

fn check_managed_fields(metadata: &Value, path: &Path<'_, '_>, report: &mut Report) {
    let minor = report.minor;
    for (index, entry) in member(metadata, "managedFields").and_then(Value::as_array).into_iter().flatten().enumerate()
    {
        let path = path.field("managedFields");
        let path = path.item(index);
        let text = |field: &str| entry.get(field).and_then(Value::as_str).unwrap_or_default();
        let operation = path.field("operation");
        match text("operation") {
            "Apply" | "Update" => {}
            "" if minor >= 37 => report.error(ErrorKind::Required, &operation, Shown::Omitted, "must not be empty"),
            other if minor >= 37 => {
                let detail = "supported values: \"Apply\", \"Update\"";
                report.error(ErrorKind::NotSupported, &operation, Shown::Text(other), detail);
            }
            other => {
                report.invalid(&operation, Shown::Text(other), "must be `Apply` or `Update`");
            }
        }
        let kind = text("fieldsType");
        if !matches!(kind, "" | "FieldsV1") {
            let path = path.field("fieldsType");
            report.invalid(&path, Shown::Text(kind), "must be `FieldsV1`");
        }
        for (field, most) in [("manager", 128), ("subresource", 256)] {
            let (path, text) = (path.field(field), text(field));
            if text.len() > most {
                report.error(ErrorKind::TooLong, &path, Shown::Omitted, &format!("may not be more than {most} bytes"));
            }
            let unprintable =
                text.char_indices().filter(|(_, character)| field == "manager" && !is_printable(*character));
            for (position, character) in unprintable.take(MOST_REPEATED) {
                let detail = format!("invalid character U+{:04X} (at position {position})", u32::from(character));
                report.invalid(&path, Shown::Text(text), &detail);
            }
        }
    }
}

/// Fields that an update cannot change. The server compares absent texts as empty.
const IMMUTABLE: [&str; 6] =
    ["name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"];

/// Checks the metadata of an update against that of the stored object.
pub(super) fn check_update(metadata: &Value, old: &Value, report: &mut Report) {
    let minor = report.minor;
    let path = &Path::ROOT.field("metadata");
    if member(old, "deletionTimestamp").is_some() {
        let known = finalizers(old);
        let added: BTreeSet<&str> = finalizers(metadata).difference(&known).copied().collect();
        if !added.is_empty() {
            let added: Vec<String> = added.into_iter().map(quoted).collect();
            let detail = format!(
                "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
                added.join(", ")
            );
            report.error(ErrorKind::Forbidden, &path.field("finalizers"), Shown::Omitted, &detail);
        }
    }
    if text_of(metadata, "resourceVersion").is_empty() {
        let path = path.field("resourceVersion");
        report.invalid(&path, Shown::Text(""), "must be specified for an update");
    }
    if minor >= 37 {
        negative_generation(metadata, path, report);
    }
    let generation = |metadata| member(metadata, "generation").and_then(Value::as_i64).unwrap_or_default();
    if generation(metadata) < generation(old) {
        let value = Value::from(generation(metadata));
        let path = path.field("generation");
        report.invalid(&path, Shown::Value(&value), "must not be decremented");
    }
    for field in IMMUTABLE {
        let (new, old) = (member(metadata, field), member(old, field));
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
            report.invalid(&path.field(field), shown, "field is immutable");
        }
    }
    check_maps(metadata, path, report);
    check_owners(metadata, path, report);
    check_managed_fields(metadata, path, report);
}

/// What a server warns of in new finalizers.
pub(super) fn finalizer_warnings(metadata: &Value, old: Option<&Value>, minor: u32) -> Vec<Warning> {
    let known = old.map(finalizers).unwrap_or_default();
    let mut warnings = Vec::new();
    for name in finalizers(metadata).difference(&known).copied() {
        let mut warn = |problem| warnings.push(Warning::Finalizer { name: name.to_owned(), problem });
        names::key(name, minor, Unit::Characters).into_iter().for_each(&mut warn);
        if name.contains('/') || matches!(name, "orphan" | "foregroundDeletion" | "kubernetes") {
            continue;
        }
        let slash = if name.contains('.') { " including a path (/)" } else { "" };
        warn(format!(
            "prefer a domain-qualified finalizer name{slash} to avoid accidental conflicts with other finalizer writers"
        ));
    }
    warnings
}
