//! From a document to a CRD.
//!
//! Invariants: what a cluster or a chart adds (status, `uid`, `managedFields`, …) is dropped, so that a CRD from a file and from a cluster
//! have the same content. Unknown and missing parts are errors: a file that was cut off must not look like a CRD with less in it. The size
//! of a CRD is checked before messages about it are made.

use std::collections::BTreeMap;

use crd_model::CustomResourceDefinition;
use crd_model::schema::ReadErrorKind;
use serde_json::{Map, Value};

use super::limits::{MOST_CRD_BYTES, MOST_MAPS, MOST_PATH_BYTES};
use super::reading::{Reading, is_in_templates, quoted};
use super::{PublishedCrd, Stamps, Written, codes};

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

/// Reads a CRD.
pub(super) fn read(mut document: Map<String, Value>, written: Written, reading: &mut Reading) {
    document.remove("status");
    if let Some(metadata) = document.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
        if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) {
            annotations.remove(LAST_APPLIED);
            let (key, keep) = HELM_KEEPS;
            if is_in_templates(&written.source.name) && annotations.get(key).is_some_and(|policy| policy == keep) {
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
    let document = Value::Object(document);
    let size = Size::of(&document);
    reading.maps += size.maps;
    let too_large = if size.bytes > MOST_CRD_BYTES {
        Some(format!(
            "this CRD is {} KiB as JSON, and no API server takes more than {} KiB",
            size.bytes >> 10,
            MOST_CRD_BYTES >> 10
        ))
    } else if size.path_bytes > MOST_PATH_BYTES {
        Some("this CRD nests so deeply, by so long names, that no message about it could be read".to_owned())
    } else if reading.maps > MOST_MAPS {
        Some(format!(
            "the CRDs up to here have more than {MOST_MAPS} maps, which is a hundred times those of Gateway API"
        ))
    } else {
        None
    };
    if let Some(message) = too_large {
        let fix = "Make it smaller, or read fewer CRDs at once".to_owned();
        reading.is_over = reading.maps > MOST_MAPS;
        return reading.push_in_document(codes::TOO_LARGE, written.path(""), message, fix);
    }
    let mut check = Check { written: &written, reading, is_valid: true };
    check.required(&document);
    check.metadata(&document);
    match CustomResourceDefinition::from_value(&document) {
        Err(errors) => {
            for error in errors {
                check.structure(&error.path.replace(".[", "["), error.kind, &error.message);
            }
        }
        Ok(crd) if check.is_valid => {
            check.name(&crd);
            if check.is_valid {
                let stamps = Stamps::of(&crd);
                let file = written.source.name.clone();
                reading.crds.push(PublishedCrd { crd, file, line: written.line, stamps, written });
            }
        }
        Ok(_) => {}
    }
}

/// Outside schemas, null is what is not there.
fn drop_nulls(map: &mut Map<String, Value>) {
    map.retain(|_, value| !value.is_null());
}

/// The check of one CRD.
struct Check<'a> {
    written: &'a Written,
    reading: &'a mut Reading,
    is_valid: bool,
}

impl Check<'_> {
    fn push(&mut self, code: &'static str, path: &str, message: String, fix: impl Into<String>) {
        self.is_valid = false;
        self.reading.push_in_document(code, self.written.path(path), message, fix.into());
    }

    /// An error in the structure of the CRD.
    fn structure(&mut self, path: &str, kind: ReadErrorKind, message: &str) {
        let fix = match kind {
            ReadErrorKind::Unknown => "Remove it, or correct its spelling",
            ReadErrorKind::NotStructural => {
                "Replace it with the schema that it means: Kubernetes follows no references, and has no such keyword"
            }
            ReadErrorKind::Missing => "Add it; if the file was cut off, fetch it again",
            ReadErrorKind::Unexpected => "Write what is expected there",
        };
        let place = if path.is_empty() { String::new() } else { format!("{path}: ") };
        self.push(codes::CRD_STRUCTURE, path, format!("{place}{message}"), fix);
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
        for (index, version) in versions.iter().enumerate() {
            let Some(version) = version.as_object() else { continue };
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
