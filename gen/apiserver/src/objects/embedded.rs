//! Embedded resources (`x-kubernetes-embedded-resource`): each has an `apiVersion`, a `kind`, and metadata that could be that of an object.

use crd_cel::names::{self, Unit};
use crd_model::schema::Schema;
use serde_json::{Map, Value};

use super::error::{ErrorKind, FieldError, Misread, Report, Shown};
use super::metadata::{self, Owner};
use crate::path::{Path, visit};

pub(super) fn check(schema: &Schema, object: &Value, report: &mut Report) {
    visit(schema, object, &Path::ROOT, &mut |schema, value, path| {
        if let Value::Object(object) = value
            && schema.embedded_resource
        {
            resource(object, object.get("metadata"), true, path, report);
        }
    });
}

/// What is wrong with `apiVersion`, `kind` and `metadata` of resources.
pub(crate) struct ResourceFaults {
    pub(crate) errors: Vec<FieldError>,
    /// The paths of unknown fields of metadata.
    pub(crate) unknown: Vec<String>,
}

/// Checks the resources in a value, and the value itself if it is one, as the newest server does. Metadata is read first, as
/// [`metadata::coerce`] does; of what cannot be read, the rest of the metadata is not checked.
pub(crate) fn resource_faults(schema: &Schema, value: &Value, is_resource: bool) -> ResourceFaults {
    let mut report = Report::new(super::MINORS.1);
    let mut unknown = Vec::new();
    visit(schema, value, &Path::ROOT, &mut |schema, value, path| {
        let is_whole = is_resource && path.is_root();
        let Some(object) = value.as_object().filter(|_| is_whole || schema.embedded_resource) else { return };
        let mut metadata = object.get("metadata").cloned();
        let read =
            metadata.as_mut().map(|value| metadata::coerce(value, &path.field("metadata"), report.minor, &mut unknown));
        let error = read.and_then(Result::err);
        resource(object, metadata.as_ref().filter(|_| error.is_none()), !is_whole, path, &mut report);
        let misread = |Misread { steps, problem, .. }| FieldError { steps, ..FieldError::malformed(problem) };
        report.errors.extend(error.map(misread));
    });
    ResourceFaults { errors: report.errors, unknown }
}

/// Checks `apiVersion`, `kind` and the metadata, which is in the form that [`metadata::coerce`] makes.
pub(super) fn resource(
    object: &Map<String, Value>,
    metadata: Option<&Value>,
    is_checked_as_segment: bool,
    path: &Path<'_, '_>,
    report: &mut Report,
) {
    let minor = report.minor;
    for field in ["apiVersion", "kind"] {
        if !object.contains_key(field) {
            let detail = if minor < 34 { "must not be empty" } else { "" };
            report.error(ErrorKind::Required, &path.field(field), Shown::Omitted, detail);
        }
    }
    for field in ["apiVersion", "kind"] {
        let Some(value) = object.get(field) else { continue };
        let at = path.field(field);
        let Some(text) = value.as_str() else {
            report.invalid(&at, Shown::Value(value), "must be a string");
            continue;
        };
        if text.is_empty() {
            report.invalid(&at, Shown::Text(text), "must not be empty");
        } else if field == "apiVersion" {
            if text.matches('/').count() > 1 {
                let detail = format!("unexpected GroupVersion string: {text}");
                report.invalid(&at, Shown::Text(text), &detail);
            }
        } else {
            let problems = names::label_1035(&text.to_lowercase(), Unit::Characters);
            if !problems.is_empty() {
                let detail = format!("may have mixed case, but should otherwise match: {}", problems.join(","));
                report.invalid(&at, Shown::Text(text), &detail);
            }
        }
    }
    if let Some(metadata @ Value::Object(found)) = metadata {
        let is_namespaced = found.contains_key("namespace");
        let owner = Owner { is_namespaced, is_checked_as_segment, needs_name: false };
        metadata::check(metadata, owner, &path.field("metadata"), report);
    }
}
