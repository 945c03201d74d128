//! The fields of the `scale` subresource: counts of replicas that fit 32 bits, and a text for the selector.

use crd_model::crd::Scale;
use serde_json::Value;

use super::error::{ErrorKind, Report, Shown};
use crate::go_text;
use crd_model::path::Step;

pub(super) fn check(scale: Option<&Scale>, object: &Value, report: &mut Report) {
    let Some(scale) = scale else { return };
    replicas(&scale.spec_replicas_path, object, report);
    check_status(Some(scale), object, report);
}

pub(super) fn check_status(scale: Option<&Scale>, object: &Value, report: &mut Report) {
    let Some(scale) = scale else { return };
    replicas(&scale.status_replicas_path, object, report);
    if let Some(path) = &scale.label_selector_path {
        match nested(path, object) {
            Ok(None | Some(Value::String(_))) => {}
            Ok(Some(other)) => fail(path, "", mistyped(path, other, "string"), report),
            Err(text) => fail(path, "", text, report),
        }
    }
}

fn replicas(path: &str, object: &Value, report: &mut Report) {
    let detail = match nested(path, object) {
        Ok(None) => return,
        Ok(Some(value)) => match value.as_i64() {
            Some(count) if count < 0 => return fail_at(path, count, "should be a non-negative integer", report),
            Some(count) if count > i64::from(i32::MAX) => {
                return fail_at(path, count, "should be less than or equal to 2147483647", report);
            }
            Some(_) => return,
            None => mistyped(path, value, "int64"),
        },
        Err(text) => text,
    };
    fail_at(path, 0, &detail, report);
}

fn names(path: &str) -> Vec<&str> {
    path.strip_prefix('.').unwrap_or(path).split('.').collect()
}

/// The value at a path; an error where a value on the way is not an object. As in apimachinery's `NestedFieldNoCopy`, the error names the
/// field that was looked up in that value.
fn nested<'o>(path: &str, object: &'o Value) -> Result<Option<&'o Value>, String> {
    let names = names(path);
    let mut at = object;
    for (index, name) in names.iter().enumerate() {
        let members = match at {
            Value::Null if index > 0 => return Ok(None),
            Value::Object(members) => members,
            other => {
                return Err(accessor_error(&names[..=index], other, "map[string]interface{}"));
            }
        };
        match members.get(*name) {
            Some(below) => at = below,
            None => return Ok(None),
        }
    }
    Ok(Some(at))
}

fn mistyped(path: &str, value: &Value, expected: &str) -> String {
    accessor_error(&names(path), value, expected)
}

fn accessor_error(names: &[&str], value: &Value, expected: &str) -> String {
    let (value, kind) = (go_text::shown(value), go_text::type_name(value));
    format!(".{} accessor error: {value} is of the type {kind}, expected {expected}", names.join("."))
}

fn fail_at(path: &str, count: i64, detail: &str, report: &mut Report) {
    push(path, Shown::Value(&Value::from(count)), detail, report);
}

fn fail(path: &str, shown: &str, detail: String, report: &mut Report) {
    push(path, Shown::Text(shown), &detail, report);
}

fn push(path: &str, shown: Shown<'_>, detail: &str, report: &mut Report) {
    let steps = names(path).into_iter().map(|name| Step::Field(name.to_owned())).collect();
    let error = report.with_field(ErrorKind::Invalid, path.to_owned(), steps, shown, detail);
    report.errors.push(error);
}
