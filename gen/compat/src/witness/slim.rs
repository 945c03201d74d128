//! A schema without the optional fields that do not lead to a path, so that the search finds small objects quickly.
//!
//! Invariants: everything that an object must have is kept, and everything at the path. Where branches or counts may require more, all
//! fields are kept.

use crd_model::Schema;
use crd_model::schema::{SchemaPath, Step};

/// The schema without the optional fields that do not lead to the path. Fields that the other schema requires are required.
pub(super) fn slim(schema: &Schema, path: &SchemaPath, other: Option<&Schema>) -> Schema {
    let mut slim = schema.clone();
    prune(&mut slim, Some(path.steps()), other);
    slim
}

/// `path` is the rest of the path; none for a node that is not on it. `other` is the same node of the other schema.
fn prune(node: &mut Schema, path: Option<&[Step]>, other: Option<&Schema>) {
    node.validations.clear();
    // It may contain fields that were removed here. The validation fills it in.
    node.default = None;
    for name in other.iter().flat_map(|other| &other.required) {
        if node.properties.contains_key(name) && !node.required.contains(name) {
            node.required.push(name.clone());
        }
    }
    let requires_more = node.branches().next().is_some() || node.min_properties.is_some_and(|least| least > 0);
    let is_at_path = path.is_some_and(<[Step]>::is_empty);
    let next = path.and_then(<[Step]>::split_first);
    if !requires_more && !is_at_path {
        let required = std::mem::take(&mut node.required);
        node.properties.retain(|name, _| {
            let leads = matches!(next, Some((Step::Field(field), _)) if **name == **field);
            leads || required.contains(name)
        });
        node.required = required;
    }
    let names = node.properties.keys().cloned().collect::<Vec<_>>();
    for name in names {
        let rest = match next {
            Some((Step::Field(field), rest)) if *name == **field => Some(rest),
            _ => None,
        };
        if let Some(property) = node.properties.get_mut(&name) {
            prune(property, rest, other.and_then(|other| other.properties.get(&name)));
        }
    }
    if let Some(items) = node.items.as_deref_mut() {
        // A server demands the keys of a list that is a map, required or not.
        for key in node.list_map_keys.iter().filter(|key| items.properties.contains_key(key)) {
            if !items.required.contains(key) {
                items.required.push(key.clone());
            }
        }
        let rest = next.filter(|(step, _)| **step == Step::Item).map(|(_, rest)| rest);
        prune(items, rest, other.and_then(|other| other.items.as_deref()));
    }
    if let Some(values) = node.values_mut() {
        let rest = next.filter(|(step, _)| **step == Step::Value).map(|(_, rest)| rest);
        prune(values, rest, other.and_then(Schema::values));
    }
}
