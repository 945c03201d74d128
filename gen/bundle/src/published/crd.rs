//! From a document to a CRD.
//!
//! Invariants: what a cluster or a chart adds (status, `uid`, `managedFields`, …) is dropped, so that a CRD from a file and from a cluster
//! have the same content; the stored versions of the status are kept apart. Missing parts are errors: a file that was cut off must not look
//! like a CRD with less in it. What servers leave out ([`SERVER_ANSWERS`](super::SERVER_ANSWERS)) is a warning, and an error in a CRD that has
//! errors, since it may be their cause. The size of a CRD is checked before messages about it are made.

use std::collections::BTreeMap;

use crd_diagnostics::Severity;
use crd_model::CustomResourceDefinition;
use crd_model::schema::{ReadErrorKind, Schema};
use crd_model::yaml::RepeatedKey;
use serde_json::{Map, Value};

use super::found::{Place, Problem, ReadCrd, TEMPLATE, is_in, quoted};
use super::limits::{MOST_CRD_BYTES, MOST_PATH_BYTES};
use super::server::{Oddity, row};
use super::{Origin, PublishedCrd, Stamps, Written, codes};

/// The apiVersion of servers since Kubernetes 1.22, which is read.
pub(super) const API_VERSION: &str = "apiextensions.k8s.io/v1";

/// What `kubectl apply` leaves in a cluster's objects.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Annotations for Helm that charts add to each CRD. They belong to the chart, not to the CRD.
const HELM_KEEPS: (&str, &str) = ("helm.sh/resource-policy", "keep");

/// The keys of `metadata`; a server sets all except for the first three.
const METADATA: [&str; 16] = [
    "annotations",
    "labels",
    "name",
    "clusterName",
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "finalizers",
    "generateName",
    "generation",
    "managedFields",
    "namespace",
    "ownerReferences",
    "resourceVersion",
    "selfLink",
    "uid",
];

/// The schemas of the versions of a CRD, which were read without errors and are empty in its document.
pub(super) struct Schemas {
    pub(super) schemas: Vec<Schema>,
    /// How many maps they have.
    pub(super) maps: usize,
}

/// Reads a CRD. `unknown` are paths of unknown keys that are no longer in the document, and `repeated` the repeated keys of the whole text.
pub(super) fn read(
    mut document: Map<String, Value>,
    schemas: Option<Schemas>,
    written: Written,
    unknown: &[String],
    repeated: &[RepeatedKey],
) -> ReadCrd {
    let status = document.remove("status");
    let stored_versions = status.as_ref().and_then(|status| status.get("storedVersions")?.as_array());
    let stored_versions =
        stored_versions.into_iter().flatten().filter_map(|version| version.as_str().map(str::to_owned));
    let is_kept = clean(&mut document, &written.source.name);
    let document = Value::Object(document);
    let size = Size::of(&document);
    let maps = size.maps + schemas.as_ref().map_or(0, |schemas| schemas.maps);
    let too_large = if size.bytes > MOST_CRD_BYTES {
        Some(too_many(size.bytes))
    } else if size.path_bytes > MOST_PATH_BYTES {
        Some("this CRD nests so deeply, by so long names, that no message about it could be read".to_owned())
    } else {
        None
    };
    if let Some(message) = too_large {
        let problem = Problem::too_large(&written, message);
        return ReadCrd { maps, is_too_large: true, ..ReadCrd::unread(problem, written) };
    }
    let name = document.get("metadata").and_then(|metadata| metadata.get("name")).and_then(Value::as_str);
    if name.is_some_and(|name| name.contains("{{")) {
        let (message, fix) = TEMPLATE;
        let path = written.path("metadata.name");
        let problem = Problem::error(codes::TEMPLATE, path, message.to_owned(), fix.to_owned());
        return ReadCrd { maps, ..ReadCrd::unread(problem, written) };
    }
    let mut check = Check { written: &written, found: Vec::new() };
    check.required(&document);
    check.metadata(&document);
    for path in unknown {
        check.structure(path, ReadErrorKind::Unknown, "this is not a key of a CRD of apiextensions.k8s.io/v1beta1");
    }
    for key in repeated {
        if let Some(path) = key.path.strip_prefix(&*written.above) {
            check.odd(Oddity::RepeatedKey, path, Place::At(key.position), "this key is already in its map");
        }
    }
    let (mut crd, errors) = CustomResourceDefinition::from_published(&document);
    for (version, schema) in crd.versions.iter_mut().zip(schemas.into_iter().flat_map(|schemas| schemas.schemas)) {
        version.schema = schema;
    }
    for error in errors {
        check.structure(&error.path.replace(".[", "["), error.kind, &error.message);
    }
    if check.is_valid() {
        check.name(&crd);
    }
    let is_valid = check.is_valid();
    let problems = check.found.into_iter().map(|found| found.problem(is_valid)).collect();
    let crd = is_valid.then(|| {
        let stamps = Stamps::of(&crd);
        let file = written.source.name.clone();
        let stored_versions = stored_versions.collect();
        let folder = written.source.folder;
        let line = written.line;
        let origin = Origin { file, line, folder, stamps, stored_versions, is_kept, written: written.clone() };
        PublishedCrd { crd, origin }
    });
    ReadCrd { written, maps, is_too_large: false, problems, crd }
}

/// Removes what a cluster or a chart adds. Whether Helm keeps the CRD.
fn clean(document: &mut Map<String, Value>, file: &str) -> bool {
    let mut is_kept = false;
    if let Some(metadata) = document.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
        if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) {
            annotations.remove(LAST_APPLIED);
            let (key, keep) = HELM_KEEPS;
            is_kept = annotations.get(key).is_some_and(|policy| policy == keep);
            if is_kept && is_in("templates", file) {
                annotations.remove(key);
            }
        }
        drop_nulls(metadata);
    }
    if let Some(spec) = document.get_mut("spec").and_then(Value::as_object_mut) {
        drop_nulls(spec);
        if let Some(names) = spec.get_mut("names").and_then(Value::as_object_mut) {
            drop_nulls(names);
        }
        let versions = spec.get_mut("versions").and_then(Value::as_array_mut);
        versions.into_iter().flatten().filter_map(Value::as_object_mut).for_each(drop_nulls);
    }
    is_kept
}

fn too_many(bytes: usize) -> String {
    format!("this CRD is {} KiB as JSON, and no API server takes more than {} KiB", bytes >> 10, MOST_CRD_BYTES >> 10)
}

/// The error of a CRD that would be too large if these parts were copied so often, before they are.
pub(super) fn too_many_copies<'v>(
    parts: impl Iterator<Item = &'v Value>,
    copies: usize,
    written: &Written,
) -> Option<Problem> {
    let bytes = parts.map(|part| Size::of(part).bytes).sum::<usize>().saturating_mul(copies);
    (bytes > MOST_CRD_BYTES).then(|| Problem::too_large(written, too_many(bytes)))
}

/// Outside schemas, null is what is not there.
fn drop_nulls(map: &mut Map<String, Value>) {
    map.retain(|_, value| !value.is_null());
}

/// The check of one CRD.
struct Check<'a> {
    written: &'a Written,
    found: Vec<Found>,
}

/// An error or a warning, at a path of the text.
struct Found {
    code: &'static str,
    place: Place,
    message: String,
    fix: String,
    /// Of a warning: what servers do.
    outcome: Option<&'static str>,
}

impl Found {
    /// A warning, if the CRD has no errors.
    fn problem(self, is_valid: bool) -> Problem {
        let Self { code, place, message, fix, outcome } = self;
        match outcome.filter(|_| is_valid) {
            Some(outcome) => Problem {
                severity: Severity::Warning,
                ..Problem::error(codes::CRD_IGNORED, place, format!("{message}; {outcome}"), fix)
            },
            None => Problem::error(code, place, message, fix),
        }
    }
}

impl Check<'_> {
    fn is_valid(&self) -> bool {
        self.found.iter().all(|found| found.outcome.is_some())
    }

    fn push(&mut self, code: &'static str, path: &str, message: String, fix: impl Into<String>) {
        let path = self.written.path(path);
        self.found.push(Found { code, place: Place::Path(path), message, fix: fix.into(), outcome: None });
    }

    /// Something odd in the structure of the CRD.
    fn structure(&mut self, path: &str, kind: ReadErrorKind, message: &str) {
        self.odd(Oddity::Part(kind), path, Place::Path(self.written.path(path)), message);
    }

    fn odd(&mut self, oddity: Oddity, path: &str, place: Place, message: &str) {
        let row = row(oddity);
        let before = if path.is_empty() { String::new() } else { format!("{path}: ") };
        let outcome = (row.severity < Severity::Error).then_some(row.outcome);
        let (code, message) = (codes::CRD_STRUCTURE, format!("{before}{message}"));
        self.found.push(Found { code, place, message, fix: row.fix.to_owned(), outcome });
    }

    fn missing(&mut self, path: &str, message: &str) {
        self.structure(path, ReadErrorKind::Missing, message);
    }

    /// Fields that a server requires, and that the CRD model would read as empty or false.
    fn required(&mut self, document: &Value) {
        let is_text = |value: Option<&Value>| value.is_some_and(|value| value.as_str() != Some(""));
        if document.get("metadata").is_some_and(|metadata| metadata.is_object() && !is_text(metadata.get("name"))) {
            self.missing("metadata", "`name` is missing");
        }
        let Some(spec) = document.get("spec") else { return };
        if spec.get("group").and_then(Value::as_str) == Some("") {
            self.missing("spec.group", "the group is empty, and its name is missing");
        }
        if let Some(names) = spec.get("names").filter(|names| names.is_object()) {
            for needed in ["kind", "plural"] {
                if !is_text(names.get(needed)) {
                    self.missing("spec.names", &format!("`{needed}` is missing"));
                }
            }
        }
        let Some(versions) = spec.get("versions").and_then(Value::as_array) else { return };
        if versions.is_empty() {
            self.missing("spec.versions", "the list is empty, and at least one version is missing");
        }
        let mut known = BTreeMap::new();
        let nothing = Map::new();
        for (index, version) in versions.iter().enumerate() {
            let version = if version.is_null() { Some(&nothing) } else { version.as_object() };
            let Some(version) = version else { continue };
            let path = format!("spec.versions[{index}]");
            for needed in ["name", "schema", "served", "storage"] {
                if !is_text(version.get(needed)) {
                    self.missing(&path, &format!("`{needed}` is missing"));
                }
            }
            let Some(name) = version.get("name").and_then(Value::as_str).filter(|name| !name.is_empty()) else {
                continue;
            };
            if let Some(first) = known.insert(name, index) {
                let message = format!("{path}.name: spec.versions[{first}] is called {} already", quoted(name));
                self.push(codes::CRD_STRUCTURE, &format!("{path}.name"), message, "Remove one, or rename it");
            }
        }
    }

    /// Misspelt metadata, which would be lost.
    fn metadata(&mut self, document: &Value) {
        let Some(metadata) = document.get("metadata").and_then(Value::as_object) else { return };
        for key in metadata.keys().filter(|key| !METADATA.contains(&key.as_str())) {
            let path = format!("metadata.{key}");
            self.structure(&path, ReadErrorKind::Unknown, "this is not a key of an object's metadata");
        }
    }

    fn name(&mut self, crd: &CustomResourceDefinition) {
        let expected = format!("{}.{}", crd.names.plural, crd.group);
        if crd.name != expected {
            let message = format!(
                "metadata.name is {}, and the CRD of {} in {} can only be called {}",
                quoted(&crd.name),
                quoted(&crd.names.plural),
                quoted(&crd.group),
                quoted(&expected)
            );
            let fix = "Correct metadata.name, or spec.names.plural and spec.group";
            self.push(codes::CRD_NAME, "metadata.name", message, fix);
        }
    }
}

/// How large a CRD is.
#[derive(Default)]
struct Size {
    /// As compact JSON, or a little less.
    bytes: usize,
    maps: usize,
    /// Those of the paths of all values together.
    path_bytes: usize,
}

impl Size {
    fn of(document: &Value) -> Self {
        let mut size = Self::default();
        size.add(document, 0);
        size
    }

    fn add(&mut self, value: &Value, path: usize) {
        self.path_bytes += path;
        match value {
            Value::Null => self.bytes += 4,
            Value::Bool(_) | Value::Number(_) => self.bytes += 1,
            Value::String(text) => self.bytes += text.len() + 2,
            Value::Array(items) => {
                self.bytes += items.len() + 1;
                for item in items {
                    self.add(item, path + 4);
                }
            }
            Value::Object(map) => {
                self.maps += 1;
                self.bytes += map.len() + 1;
                for (key, item) in map {
                    self.bytes += key.len() + 3;
                    self.add(item, path + key.len() + 1);
                }
            }
        }
    }
}
