//! Where the two channels differ, and what that means for an object.
//!
//! Invariants: nothing is known here of single resources or fields; a path is `.name` for a property, `[]` for a list's items and `{}` for a
//! map's values.

use std::collections::BTreeSet;

use crd_boundary::{SchemaPath, Step};
use crd_channels::Channel;
use crd_model::Schema;
use crd_model::schema::AdditionalProperties;
use serde_json::Value;

use crate::documents::{VersionedKind, crds};

/// All nodes of a schema with their paths, parents first.
pub(crate) fn nodes(schema: &'static Schema) -> Vec<(String, &'static Schema)> {
    let shown = |path: SchemaPath| {
        let step = |step: &Step| match step {
            Step::Field(name) => format!(".{name}"),
            Step::Item => "[]".to_owned(),
            Step::Value => "{}".to_owned(),
        };
        path.steps().iter().map(step).collect()
    };
    crd_boundary::nodes(schema).into_iter().map(|(path, node)| (shown(path), node)).collect()
}

/// The same version of the resource in the standard bundle, served or not.
pub(crate) fn in_standard(versioned: VersionedKind) -> Option<VersionedKind> {
    VersionedKind::all(Channel::Standard).find(|other| other.name() == versioned.name())
}

/// Whether the standard bundle has this CRD.
pub(crate) fn is_in_standard(crd: &str) -> bool {
    crds(Channel::Standard).iter().any(|standard| standard.name == crd)
}

/// The topmost nodes that only the experimental channel has; the root if standard does not have the resource.
pub(crate) fn only_experimental() -> Vec<(VersionedKind, String, &'static Schema)> {
    let mut found: Vec<(VersionedKind, String, &'static Schema)> = Vec::new();
    for versioned in VersionedKind::all(Channel::Experimental) {
        let standard: BTreeSet<String> = in_standard(versioned)
            .iter()
            .flat_map(|versioned| nodes(&versioned.version.schema))
            .map(|(path, _)| path)
            .collect();
        let mut topmost: Vec<(VersionedKind, String, &'static Schema)> = Vec::new();
        for (path, node) in nodes(&versioned.version.schema) {
            let is_below = |above: &str| path.strip_prefix(above).is_some_and(|rest| rest.starts_with(['.', '[', '{']));
            if !standard.contains(&path) && !topmost.iter().any(|(_, above, _)| is_below(above)) {
                topmost.push((versioned, path, node));
            }
        }
        found.extend(topmost);
    }
    found
}

/// The enum values that only the experimental channel has, where both have the field.
pub(crate) fn only_experimental_values() -> Vec<(VersionedKind, String, &'static Schema, Value)> {
    let mut found = Vec::new();
    for versioned in VersionedKind::all(Channel::Experimental) {
        let Some(standard) = in_standard(versioned) else { continue };
        let standard = nodes(&standard.version.schema);
        for (path, node) in nodes(&versioned.version.schema) {
            let Some((_, in_standard)) = standard.iter().find(|(other, _)| *other == path) else { continue };
            let (Some(values), Some(known)) = (&node.enumeration, &in_standard.enumeration) else { continue };
            found.extend(
                values
                    .iter()
                    .filter(|value| !known.contains(value))
                    .map(|value| (versioned, path.clone(), node, value.clone())),
            );
        }
    }
    found
}

/// The object without fields that this schema does not have.
pub(super) fn pruned(object: &Value, schema: &Schema) -> Value {
    fn prune(value: &mut Value, schema: &Schema, is_root: bool) {
        match value {
            Value::Object(map) => match &schema.additional_properties {
                Some(AdditionalProperties::Values(values)) => {
                    map.values_mut().for_each(|value| prune(value, values, false));
                }
                _ => {
                    map.retain(|key, _| {
                        schema.properties.contains_key(key)
                            || (is_root && ["apiVersion", "kind", "metadata"].contains(&key.as_str()))
                    });
                    for (key, value) in map.iter_mut() {
                        match schema.properties.get(key) {
                            Some(_) if is_root && key == "metadata" => {}
                            Some(schema) => prune(value, schema, false),
                            None => {}
                        }
                    }
                }
            },
            Value::Array(list) => {
                if let Some(items) = &schema.items {
                    list.iter_mut().for_each(|item| prune(item, items, false));
                }
            }
            _ => {}
        }
    }
    let mut object = object.clone();
    prune(&mut object, schema, true);
    object
}

/// The paths that one value has and the other lacks; panics where they differ otherwise.
pub(super) fn lost(full: &Value, poor: &Value, path: &str, found: &mut BTreeSet<String>) {
    match (full, poor) {
        (Value::Object(full), Value::Object(poor)) => {
            for key in poor.keys() {
                assert!(full.contains_key(key), "{path}.{key} was added");
            }
            for (key, full) in full {
                let below = format!("{path}.{key}");
                match poor.get(key) {
                    Some(poor) => lost(full, poor, &below, found),
                    None => drop(found.insert(below)),
                }
            }
        }
        (Value::Array(full), Value::Array(poor)) => {
            assert_eq!(full.len(), poor.len(), "{path}");
            full.iter().zip(poor).for_each(|(full, poor)| lost(full, poor, &format!("{path}[]"), found));
        }
        _ => assert_eq!(full, poor, "{path}"),
    }
}
