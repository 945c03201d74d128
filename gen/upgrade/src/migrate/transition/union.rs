//! The union of schemas: one schema that prunes nothing and refuses nothing of what one of them accepts.
//!
//! Invariants: it has types and no rules. Each object keeps unknown fields. A node whose types disagree accepts every value.

use crd_apiserver::prune;
use crd_model::schema::{AdditionalProperties, Properties, Schema, Text};
use serde_json::{Value, json};

use super::nodes::{Nodes, OF_EVERY_RESOURCE, Shape, keeps_unknown, shape};

/// The union of the schemas of resources.
pub(super) fn of_resources(roots: &Nodes<'_>) -> Schema {
    Schema { embedded_resource: false, ..object(roots, true) }
}

fn of_nodes(nodes: &Nodes<'_>) -> Schema {
    let nullable = nodes.0.iter().any(|node| node.nullable);
    let shared = nodes.0.first().map(|node| shape(node));
    let shared = shared.filter(|shared| nodes.0.iter().all(|node| shape(node) == *shared)).unwrap_or(Shape::Any);
    let union = match shared {
        Shape::Any => anything(),
        Shape::IntOrString => Schema { int_or_string: true, ..Schema::default() },
        Shape::Of("array") => Schema { items: Some(Box::new(of_nodes(&nodes.items()))), ..typed("array") },
        Shape::Of(kind) => typed(kind),
        Shape::Map => {
            let values = AdditionalProperties::Values(Box::new(of_nodes(&nodes.values())));
            Schema { additional_properties: Some(values), ..typed("object") }
        }
        Shape::Object => object(nodes, nodes.0.iter().all(|node| node.embedded_resource)),
    };
    Schema { nullable, ..union }
}

/// A field of objects.
pub(super) fn of_field(objects: &Nodes<'_>, name: &str) -> Schema {
    let keeps_any_value = |node: &&Schema| keeps_unknown(node) && !node.properties.contains_key(name);
    match objects.0.iter().any(keeps_any_value) {
        // Null is a value of a field that is not listed.
        true => Schema { nullable: true, ..anything() },
        false => of_nodes(&objects.field(name)),
    }
}

/// An object with the fields of all nodes.
fn object(nodes: &Nodes<'_>, is_resource: bool) -> Schema {
    let property = |name: &Text| match &**name {
        "metadata" if is_resource => typed("object"),
        name if is_resource && OF_EVERY_RESOURCE.contains(&name) => typed("string"),
        name => of_field(nodes, name),
    };
    Schema {
        properties: nodes.names().into_iter().map(|name| (name.clone(), property(name))).collect::<Properties>(),
        preserve_unknown_fields: Some(true),
        embedded_resource: nodes.0.iter().all(|node| node.embedded_resource),
        ..typed("object")
    }
}

fn typed(kind: &str) -> Schema {
    Schema { kind: Some(kind.to_owned().into()), ..Schema::default() }
}

fn anything() -> Schema {
    Schema { preserve_unknown_fields: Some(true), ..Schema::default() }
}

/// Puts the defaults of an old schema into a union where a new schema has the same node.
pub(super) fn keep_defaults(union: &mut Schema, old: &Schema, new: &Schema) {
    if shape(old) != shape(new) || shape(union) != shape(new) {
        return;
    }
    union.default = old.default.clone().filter(|default| is_kept(new, default));
    for (name, property) in &mut union.properties {
        if let (Some(old), Some(new)) = (old.properties.get(name), new.properties.get(name)) {
            keep_defaults(property, old, new);
        }
    }
    if let (Some(union), Some(old), Some(new)) =
        (union.items.as_deref_mut(), old.items.as_deref(), new.items.as_deref())
    {
        keep_defaults(union, old, new);
    }
    if let (Some(union), Some(old), Some(new)) = (union.values_mut(), old.values(), new.values()) {
        keep_defaults(union, old, new);
    }
}

/// Whether a schema prunes nothing of a value.
fn is_kept(schema: &Schema, value: &Value) -> bool {
    let holder = Schema { properties: [("value".into(), schema.clone())].into(), ..typed("object") };
    prune(&holder, &mut json!({"value": value})).is_empty()
}
