//! Embedded resources (`x-kubernetes-embedded-resource`): each has an `apiVersion`, a `kind`, and metadata that could be that of an object.

use crd_model::schema::{AdditionalProperties, Schema};
use serde_json::{Map, Value};

use super::error::{ErrorKind, Report, Shown};
use super::metadata::{self, Owner};
use super::names;
use super::path::Path;

pub(super) fn check(schema: &Schema, object: &Value, report: &mut Report) {
    node(schema, object, &mut Path::root(), report);
}

fn node<'v>(schema: &Schema, value: &'v Value, path: &mut Path<'v>, report: &mut Report) {
    match value {
        Value::Object(object) => {
            if schema.embedded_resource {
                resource(value, object, path, report);
            }
            for (name, member) in object {
                match (schema.properties.get(name.as_str()), &schema.additional_properties) {
                    (Some(property), _) => {
                        path.push_field(name);
                        node(property, member, path, report);
                        path.pop();
                    }
                    (None, Some(AdditionalProperties::Values(values))) => {
                        path.push_key(name);
                        node(values, member, path, report);
                        path.pop();
                    }
                    _ => {}
                }
            }
        }
        Value::Array(items) => {
            let Some(below) = &schema.items else { return };
            for (index, item) in items.iter().enumerate() {
                path.push_item(index);
                node(below, item, path, report);
                path.pop();
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn resource(value: &Value, object: &Map<String, Value>, path: &Path<'_>, report: &mut Report) {
    let minor = report.minor;
    for field in ["apiVersion", "kind"] {
        if !object.contains_key(field) {
            let detail = if minor < 34 { "must not be empty" } else { "" };
            report.error(ErrorKind::Required, &path.clone().field(field), Shown::Omitted, detail);
        }
    }
    for field in ["apiVersion", "kind"] {
        let Some(value) = object.get(field) else { continue };
        let at = path.clone().field(field);
        let Some(text) = value.as_str() else {
            report.error(ErrorKind::Invalid, &at, Shown::Value(value), "must be a string");
            continue;
        };
        if text.is_empty() {
            report.error(ErrorKind::Invalid, &at, Shown::Text(text), "must not be empty");
        } else if field == "apiVersion" {
            if text.matches('/').count() > 1 {
                let detail = format!("unexpected GroupVersion string: {text}");
                report.error(ErrorKind::Invalid, &at, Shown::Text(text), &detail);
            }
        } else {
            let problems = names::label_1035(&text.to_lowercase());
            if !problems.is_empty() {
                let detail = format!("may have mixed case, but should otherwise match: {}", problems.join(","));
                report.error(ErrorKind::Invalid, &at, Shown::Text(text), &detail);
            }
        }
    }
    let Some(Value::Object(found)) = object.get("metadata") else { return };
    let is_namespaced = found.get("namespace").is_some();
    let owner = Owner { is_namespaced, is_checked_as_segment: true, minor };
    metadata::check_embedded(value, owner, path.clone().field("metadata"), report);
}
