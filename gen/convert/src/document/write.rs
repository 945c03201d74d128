//! Writes a document.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{Document, Removed, SCHEMA_VERSION};
use crate::lens::{Identity, Lens, Step};
use crate::operation::{Operation, TextForm};
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

fn text(path: &Path) -> Value {
    path.to_string().into()
}

fn texts(paths: &BTreeMap<String, Path>) -> Value {
    paths.iter().map(|(name, path)| (name.clone(), text(path))).collect::<Map<_, _>>().into()
}

fn step(step: &Step) -> Value {
    let mut value = operation(&step.operation);
    value["operation"] = step.operation.name().into();
    if !step.keys.is_empty() {
        let keys = step.keys.iter().map(|(path, fields)| (path.to_string(), json!(fields)));
        value["keys"] = keys.collect::<Map<_, _>>().into();
    }
    if step.keeps {
        value["keeps"] = true.into();
    }
    value
}

fn operation(operation: &Operation) -> Value {
    match operation {
        Operation::Rename { from, to }
        | Operation::Move { from, to }
        | Operation::WrapInList { from, to }
        | Operation::UnwrapList { from, to } => json!({"from": text(from), "to": text(to)}),
        Operation::WrapInObject { from, to, field } | Operation::UnwrapObject { from, to, field } => {
            json!({"from": text(from), "to": text(to), "field": field})
        }
        Operation::ListToMap { from, to, key, value } | Operation::MapToList { from, to, key, value } => {
            let mut written = json!({"from": text(from), "to": text(to), "key": key});
            if let Some(field) = value {
                written["value"] = field.as_str().into();
            }
            written
        }
        Operation::Values { from, to, values, nearest, merged } => {
            let mut written = json!({"from": text(from), "to": text(to), "values": values});
            if !nearest.is_empty() {
                written["nearest"] = json!(nearest);
            }
            if !merged.is_empty() {
                written["merged"] = json!(merged);
            }
            written
        }
        Operation::Scale { from, to, multiply, divide } => {
            json!({"from": text(from), "to": text(to), "multiply": multiply, "divide": divide})
        }
        Operation::Split { from, to, text: form } => with_form(json!({"from": text(from), "to": texts(to)}), form),
        Operation::Join { from, to, text: form } => with_form(json!({"from": texts(from), "to": text(to)}), form),
        Operation::Default { path, value } | Operation::Constant { path, value } => {
            json!({"path": text(path), "value": value})
        }
        Operation::Drop { path, reason } => json!({"path": text(path), "reason": reason}),
        Operation::Code { name, from, to } => {
            let texts = |paths: &[Path]| paths.iter().map(text).collect::<Vec<_>>();
            json!({"name": name, "from": texts(from), "to": texts(to)})
        }
    }
}

fn with_form(mut value: Value, form: &TextForm) -> Value {
    value["pattern"] = form.pattern.as_str().into();
    value["template"] = form.template.as_str().into();
    if !form.integers.is_empty() {
        value["integers"] = json!(form.integers);
    }
    value
}
