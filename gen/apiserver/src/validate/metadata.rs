//! `apiVersion`, `kind` and `metadata` of a resource: what the server demands of them in addition to the schema.
//!
//! Invariants: the server reads `metadata` into a typed ObjectMeta first; a value of the wrong kind there is the only
//! reported violation of that metadata. Of `managedFields`, only the kind is checked: clients do not
//! write them.

use crd_model::crd::ANNOTATIONS_LIMIT;
use serde_json::{Map, Value};

use super::formats::checker;
use super::names;
use super::{Path, Violation, ViolationKind, entries};
use crd_model::schema::kind_of;

/// Whose metadata it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// The custom resource itself: its name must be a DNS subdomain.
    Resource,
    /// A resource inside another: its name must fit a URL path.
    Embedded,
}

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

/// Checks the three fields of a resource, and reports unknown fields of its metadata where `strict`.
pub(super) fn check(
    object: &Map<String, Value>,
    owner: Owner,
    strict: bool,
    path: &mut Path,
    violations: &mut Vec<Violation>,
) {
    for field in ["apiVersion", "kind"] {
        path.field(field, |path| {
            let mut fail = |kind, message: &str| violations.push(Violation::new(kind, path, message));
            match object.get(field) {
                None => fail(ViolationKind::Missing, "a resource must have this field"),
                Some(Value::String(text)) if text.is_empty() => {
                    fail(ViolationKind::Metadata, "this field of a resource cannot be empty");
                }
                Some(Value::String(text)) if field == "apiVersion" => {
                    if text != "/" && text.matches('/').count() > 1 {
                        fail(ViolationKind::Metadata, "an apiVersion is `version` or `group/version`");
                    }
                }
                Some(Value::String(text)) => {
                    if let Some(problem) = names::dns_1035_label_problem(&text.to_lowercase()) {
                        fail(
                            ViolationKind::Metadata,
                            &format!("a kind, written in lower case, must be a DNS label: {problem}"),
                        );
                    }
                }
                Some(other) => fail(ViolationKind::WrongType, &format!("expected a string, found {}", kind_of(other))),
            }
        });
    }
    if let Some(metadata) = object.get("metadata") {
        path.field("metadata", |path| check_metadata(metadata, owner, strict, path, violations));
    }
}

fn check_metadata(metadata: &Value, owner: Owner, strict: bool, path: &mut Path, violations: &mut Vec<Violation>) {
    let Some(metadata) = metadata.as_object() else {
        // The server reads null as an empty ObjectMeta.
        if !metadata.is_null() {
            let message = format!("expected an object, found {}", kind_of(metadata));
            violations.push(Violation::new(ViolationKind::WrongType, path, &message));
        }
        return;
    };
    let before = violations.len();
    let mut unknown = Vec::new();
    check_fields(metadata, &OBJECT_META, path, violations, &mut unknown);
    if violations.len() == before {
        check_texts(metadata, owner, path, violations);
    }
    if strict {
        violations.append(&mut unknown);
    }
}

fn check_fields(
    object: &Map<String, Value>,
    fields: &[(&str, Kind)],
    path: &mut Path,
    violations: &mut Vec<Violation>,
    unknown: &mut Vec<Violation>,
) {
    for (name, value) in entries(object) {
        path.field(name, |path| match fields.iter().find(|(known, _)| known == name) {
            Some((_, kind)) => check_kind(value, *kind, path, violations, unknown),
            None => unknown.push(Violation::new(ViolationKind::UnknownField, path, "metadata has no such field")),
        });
    }
}

fn check_kind(
    value: &Value,
    kind: Kind,
    path: &mut Path,
    violations: &mut Vec<Violation>,
    unknown: &mut Vec<Violation>,
) {
    if value.is_null() {
        return; // null reads as absent
    }
    let (matches, expected) = match kind {
        Kind::Text => (value.is_string(), "a string"),
        Kind::Integer | Kind::OptionalInteger => (value.is_i64(), "an integer"),
        Kind::Any => (true, "any value"),
        Kind::Boolean => (value.is_boolean(), "true or false"),
        Kind::Time => (value.as_str().is_some_and(is_time), "a time like 2006-01-02T15:04:05Z"),
        Kind::TextMap => (value.is_object(), "a map of strings"),
        Kind::TextList => (value.is_array(), "a list of strings"),
        Kind::List(_) => (value.is_array(), "a list of objects"),
    };
    if !matches {
        let message = format!("expected {expected}, found {}", kind_of(value));
        violations.push(Violation::new(ViolationKind::WrongType, path, &message));
        return;
    }
    match kind {
        Kind::TextMap => {
            for (name, value) in value.as_object().into_iter().flat_map(entries) {
                path.field(name, |path| check_kind(value, Kind::Text, path, violations, unknown));
            }
        }
        Kind::TextList | Kind::List(_) => {
            for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                path.item(index, |path| match (kind, item) {
                    (Kind::TextList, item) => check_kind(item, Kind::Text, path, violations, unknown),
                    (Kind::List(fields), Value::Object(object)) if !fields.is_empty() => {
                        check_fields(object, fields, path, violations, unknown);
                    }
                    (_, Value::Object(_) | Value::Null) => {}
                    (_, other) => {
                        let message = format!("expected an object, found {}", kind_of(other));
                        violations.push(Violation::new(ViolationKind::WrongType, path, &message));
                    }
                });
            }
        }
        _ => {}
    }
}

/// RFC 3339 as Go reads it: the format `date-time`, and numbers of the zone that exist.
fn is_time(text: &str) -> bool {
    let is_date_time = checker("datetime").and_then(|check| check(text)) == Some(true);
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
pub(crate) fn time(text: &str) -> Option<String> {
    crd_cel::Timestamp::parse(text).filter(|_| is_time(text)).map(crd_cel::Timestamp::in_seconds)
}

fn check_texts(metadata: &Map<String, Value>, owner: Owner, path: &mut Path, violations: &mut Vec<Violation>) {
    let text = |field: &str| metadata.get(field).and_then(Value::as_str).filter(|text| !text.is_empty());
    let mut fail = |path: &mut Path, field: &str, problem: Option<&str>| {
        if let Some(problem) = problem {
            path.field(field, |path| violations.push(Violation::new(ViolationKind::Metadata, path, problem)));
        }
    };
    let name_problem = |name: &str| match owner {
        Owner::Resource => names::dns_1123_subdomain_problem(name),
        Owner::Embedded => names::path_segment_problem(name),
    };
    fail(path, "name", text("name").and_then(name_problem));
    // What the server appends to the prefix would make any of these a good end.
    let prefix_problem = |prefix: &str| name_problem(&format!("{prefix}x"));
    fail(path, "generateName", text("generateName").and_then(prefix_problem));
    fail(path, "namespace", text("namespace").and_then(names::dns_1123_label_problem));
    if metadata.get("generation").and_then(Value::as_i64).is_some_and(|generation| generation < 0) {
        fail(path, "generation", Some("a generation cannot be negative"));
    }
    let pairs = |field: &str| {
        let map = metadata.get(field).and_then(Value::as_object);
        map.into_iter().flat_map(entries).map(|(key, value)| (key.as_str(), value.as_str().unwrap_or_default()))
    };
    for (key, value) in pairs("labels") {
        fail(path, "labels", names::label_key_problem(key));
        fail(path, "labels", names::label_value_problem(value));
    }
    for (key, _) in pairs("annotations") {
        fail(path, "annotations", names::label_key_problem(&key.to_lowercase()));
    }
    if pairs("annotations").map(|(key, value)| key.len() + value.len()).sum::<usize>() > ANNOTATIONS_LIMIT {
        fail(path, "annotations", Some("keys and values of all annotations together have at most 262144 bytes"));
    }
    let finalizers: Vec<&str> =
        metadata.get("finalizers").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    for finalizer in &finalizers {
        fail(path, "finalizers", names::label_key_problem(finalizer));
    }
    if finalizers.contains(&"orphan") && finalizers.contains(&"foregroundDeletion") {
        fail(path, "finalizers", Some("`orphan` and `foregroundDeletion` exclude each other"));
    }
    let owners: Vec<&Map<String, Value>> = metadata
        .get("ownerReferences")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_object)
        .collect();
    for owner in &owners {
        for field in ["apiVersion", "kind", "name", "uid"] {
            if owner.get(field).and_then(Value::as_str).is_none_or(str::is_empty) {
                fail(path, "ownerReferences", Some("each owner has apiVersion, kind, name and uid"));
            }
        }
    }
    if owners.iter().filter(|owner| owner.get("controller") == Some(&Value::Bool(true))).count() > 1 {
        fail(path, "ownerReferences", Some("at most one owner can be the controller"));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Subject, Validator};
    use crd_model::schema::Schema;
    use serde_json::{Value, json};

    fn found(value: &Value, subject: Subject) -> Vec<String> {
        let schema = Schema { embedded_resource: true, preserve_unknown_fields: Some(true), ..Schema::default() };
        let validator = Validator { matches: &|_, _| None, subject };
        validator.validate(&schema, value).iter().map(|violation| violation.path.clone()).collect()
    }

    #[test]
    fn good_metadata_passes() {
        let value = json!({"apiVersion": "a.b/v1", "kind": "Kind", "metadata": {
            "name": "a.b", "namespace": "n", "labels": {"a.b/c": "D"}, "annotations": {"A": "any text", "x": null},
            "creationTimestamp": null, "deletionTimestamp": "2024-01-01T00:00:00Z", "finalizers": ["a.b/c"], "generation": 1,
            "ownerReferences": [{"apiVersion": "v1", "kind": "K", "name": "n", "uid": "u", "controller": true}],
            "managedFields": [{"manager": "m"}]}});
        assert_eq!(found(&value, Subject::Resource), [""; 0]);
        assert_eq!(found(&value, Subject::Part), [""; 0]);
    }

    #[test]
    fn each_field_is_looked_at() {
        assert_eq!(found(&json!({}), Subject::Part), ["apiVersion", "kind"]);
        let value = json!({"apiVersion": "a/b/c", "kind": "1", "metadata": {
            "annotations": {"a b": ""}, "finalizers": ["orphan", "foregroundDeletion"], "generateName": "a/", "generation": -1,
            "labels": {"a": "-"}, "name": "a%", "namespace": "A", "ownerReferences": [{"name": "a"}]}});
        let mut paths = found(&value, Subject::Part);
        paths.dedup();
        assert_eq!(
            paths,
            [
                "apiVersion",
                "kind",
                "metadata.name",
                "metadata.generateName",
                "metadata.namespace",
                "metadata.generation",
                "metadata.labels",
                "metadata.annotations",
                "metadata.finalizers",
                "metadata.ownerReferences"
            ]
        );
        let named = json!({"apiVersion": "v1", "kind": "K", "metadata": {"name": "A"}});
        assert_eq!(found(&named, Subject::Part), [""; 0], "an embedded name is any path segment");
        assert_eq!(found(&named, Subject::Resource), ["metadata.name"]);
    }

    #[test]
    fn kinds_and_unknown_fields() {
        let value = json!({"apiVersion": 1, "kind": "K", "metadata": {
            "name": 1, "labels": {"a": 1}, "creationTimestamp": "today", "ownerReferences": [{"x": 1}, 2], "y": 1}});
        assert_eq!(
            found(&value, Subject::Part),
            [
                "apiVersion",
                "metadata.creationTimestamp",
                "metadata.labels.a",
                "metadata.name",
                "metadata.ownerReferences[1]",
                "metadata.ownerReferences[0].x",
                "metadata.y"
            ]
        );
        let value = json!({"apiVersion": "v1", "kind": "K", "metadata": {"y": 1}});
        assert_eq!(
            found(&value, Subject::Default),
            [""; 0],
            "unknown fields of metadata in defaults are dropped silently"
        );
    }
}
