//! Writes a document.

use serde_json::{Map, Value, json};

use super::{Document, Removed, SCHEMA_VERSION};
use crate::lens::{Identity, Lens, Step};
use crate::operation::{Operation, OperationKind, Places};
use crate::path::Path;

pub(super) fn document(document: &Document) -> Value {
    let mut value = json!({
        "schemaVersion": SCHEMA_VERSION,
        "generator": document.generator,
        "prefix": document.prefix,
        "lenses": document.lenses.iter().map(lens).collect::<Vec<_>>(),
    });
    if !document.removed.is_empty() {
        value["removed"] = document.removed.iter().map(removed).collect();
    }
    value
}

fn removed(removed: &Removed) -> Value {
    let mut value = json!({
        "group": removed.group,
        "kind": removed.kind,
        "since": removed.since.to_string(),
        "reason": removed.reason,
    });
    let path = removed.path.as_ref().map(Path::to_string);
    for (key, text) in [("version", &removed.version), ("path", &path), ("value", &removed.value)] {
        if let Some(text) = text {
            value[key] = text.as_str().into();
        }
    }
    value
}

fn lens(lens: &Lens) -> Value {
    let mut value = json!({
        "name": lens.name,
        "resource": lens.resource,
        "group": lens.group,
        "kind": lens.kind,
        "since": lens.since.to_string(),
        "steps": lens.steps.iter().map(step).collect::<Vec<_>>(),
    });
    if let Some((from, to)) = &lens.identity {
        let identity = |identity: &Identity| json!({"apiVersion": identity.api_version, "kind": identity.kind});
        value["from"] = identity(from);
        value["to"] = identity(to);
    }
    if lens.is_merged {
        value["merged"] = true.into();
    }
    value
}

fn step(step: &Step) -> Value {
    let mut value = operation(&step.operation);
    value["operation"] = step.operation.kind.name().into();
    let [old, new] = step.operation.keys();
    for (key, places) in [(old, &step.operation.from), (new, &step.operation.to)] {
        let text = |path: &Path| Value::from(path.to_string());
        value[key] = match places {
            Places::None => continue,
            Places::One(path) => text(path),
            Places::Groups(paths) => paths.iter().map(|(name, path)| (name.clone(), text(path))).collect(),
            Places::Several(paths) => paths.iter().map(text).collect(),
        };
    }
    if !step.keys.is_empty() {
        let keys = step.keys.iter().map(|(path, fields)| (path.to_string(), json!(fields)));
        value["keys"] = keys.collect::<Map<_, _>>().into();
    }
    if step.keeps {
        value["keeps"] = true.into();
    }
    value
}

/// An operation without its name and its places.
fn operation(operation: &Operation) -> Value {
    let (mut value, optional) = match &operation.kind {
        OperationKind::Rename | OperationKind::Move | OperationKind::WrapInList | OperationKind::UnwrapList => {
            (json!({}), vec![])
        }
        OperationKind::WrapInObject { field } | OperationKind::UnwrapObject { field } => {
            (json!({"field": field}), vec![])
        }
        OperationKind::ListToMap { key, value } | OperationKind::MapToList { key, value } => {
            (json!({"key": key}), vec![("value", value.is_some(), json!(value))])
        }
        OperationKind::Values { values, nearest, merged } => (
            json!({"values": values}),
            vec![("nearest", !nearest.is_empty(), json!(nearest)), ("merged", !merged.is_empty(), json!(merged))],
        ),
        OperationKind::Scale { multiply, divide } => (json!({"multiply": multiply, "divide": divide}), vec![]),
        OperationKind::Split(form) | OperationKind::Join(form) => (
            json!({"pattern": form.pattern, "template": form.template}),
            vec![("integers", !form.integers.is_empty(), json!(form.integers))],
        ),
        OperationKind::Default(value) | OperationKind::Constant(value) => (json!({"value": value}), vec![]),
        OperationKind::Drop { reason } => (json!({"reason": reason}), vec![]),
        OperationKind::Code { name } => (json!({"name": name}), vec![]),
    };
    for (key, _, given) in optional.into_iter().filter(|(_, is_given, _)| *is_given) {
        value[key] = given;
    }
    value
}
