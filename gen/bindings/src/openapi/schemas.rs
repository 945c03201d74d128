//! The schemas of a kind and of its list.
//!
//! Invariants: a schema is that of the CRD, with the metadata that the server adds to objects and embedded objects. For v2 it lacks what kubectl's
//! reader of v2 does not understand: alternatives, `nullable`, and what a node with unknown fields has below it. It also lacks defaults, which the
//! server does not publish there.

use crd_model::Schema;
use crd_model::document::ValueBuilder;
use crd_model::schema::AdditionalProperties;
use serde_json::{Map, Value, json};

use super::Resource;
use super::dialect::Dialect;
use super::kubernetes::meta;

/// Keywords that v2 does not have.
const REDUCED: [&str; 6] = ["allOf", "anyOf", "oneOf", "not", "nullable", "default"];

/// The schemas of a resource, by name.
pub(super) fn of(resource: &Resource<'_>, dialect: Dialect) -> [(String, Value); 2] {
    [
        (resource.schema_name(resource.kind), Value::Object(object(resource, dialect))),
        (resource.schema_name(&resource.list_kind), list(resource, dialect)),
    ]
}

fn object(resource: &Resource<'_>, dialect: Dialect) -> Map<String, Value> {
    let schema = &resource.definition.schema;
    let is_open = schema.preserve_unknown_fields == Some(true) || resource.crd.preserve_unknown_fields == Some(true);
    // A schema without a type is not structural: its fields are unknown. In v2, kubectl rejects unknown fields where a known one is listed.
    let is_unknown = schema.kind.as_deref() != Some("object") || dialect == Dialect::V2 && is_open;
    let mut object = if is_unknown {
        Map::from_iter([("type".to_owned(), json!("object"))])
    } else {
        let mut object = node(schema, dialect);
        add_properties(&mut object, metadata(dialect, "ObjectMeta", "Metadata of the object."));
        object
    };
    add_extensions(&mut object, resource, resource.kind);
    object
}

fn list(resource: &Resource<'_>, dialect: Dialect) -> Value {
    let items = json!({
        "description": format!("The objects of the kind {}.", resource.kind),
        "type": "array",
        "items": dialect.reference(&resource.schema_name(resource.kind)),
    });
    let mut list = Map::from_iter([
        ("description".to_owned(), json!(format!("A list of objects of the kind {}.", resource.kind))),
        ("type".to_owned(), json!("object")),
        ("required".to_owned(), json!(["items"])),
    ]);
    add_properties(&mut list, [("items", items)]);
    add_properties(&mut list, metadata(dialect, "ListMeta", "Metadata of the list."));
    add_extensions(&mut list, resource, &resource.list_kind);
    Value::Object(list)
}

fn add_extensions(schema: &mut Map<String, Value>, resource: &Resource<'_>, kind: &str) {
    schema.insert("x-kubernetes-group-version-kind".to_owned(), json!([resource.identity(kind)]));
    let fields = resource.definition.selectable_fields.iter();
    let fields = fields.map(|path| json!({ "fieldPath": path.strip_prefix('.').unwrap_or(path) })).collect::<Vec<_>>();
    if !fields.is_empty() {
        schema.insert("x-kubernetes-selectable-fields".to_owned(), Value::Array(fields));
    }
}

/// The fields that every object has.
fn metadata(dialect: Dialect, schema: &str, description: &str) -> [(&'static str, Value); 3] {
    let text = |description: &str| json!({ "description": description, "type": "string" });
    [
        ("apiVersion", text("The API group and version of the object, as `GROUP/VERSION`.")),
        ("kind", text("The kind of the object.")),
        ("metadata", dialect.described(&meta(schema), description)),
    ]
}

fn add_properties(schema: &mut Map<String, Value>, added: impl IntoIterator<Item = (&'static str, Value)>) {
    let properties = schema.entry("properties").or_insert_with(|| json!({}));
    for (name, property) in added {
        properties[name] = property;
    }
}

/// One node with all nodes below it.
fn node(schema: &Schema, dialect: Dialect) -> Map<String, Value> {
    let mut own = keywords(schema);
    let is_open = schema.preserve_unknown_fields == Some(true);
    let has_children = dialect == Dialect::V3 || !(schema.nullable || is_open);
    if has_children && let Some(items) = &schema.items {
        own.insert("items".to_owned(), Value::Object(node(items, dialect)));
    }
    if has_children && !schema.properties.is_empty() {
        let properties =
            schema.properties.iter().map(|(name, property)| (name.to_string(), Value::Object(node(property, dialect))));
        own.insert("properties".to_owned(), properties.collect());
    }
    if let Some(values) = schema.values() {
        own.insert("additionalProperties".to_owned(), Value::Object(node(values, dialect)));
    }
    if dialect == Dialect::V2 {
        reduce(schema, &mut own);
    }
    if schema.embedded_resource && (dialect == Dialect::V3 || !is_open) {
        add_properties(&mut own, metadata(dialect, "ObjectMeta", "Metadata of the object."));
        let missing =
            ["kind", "apiVersion"].into_iter().filter(|name| !schema.required.iter().any(|other| other == name));
        let required = schema.required.iter().map(|name| &**name).chain(missing);
        own.insert("required".to_owned(), required.collect());
    }
    own
}

/// The keywords of a node, without those whose values a server does not keep, and with the types of an integer or string.
fn keywords(schema: &Schema) -> Map<String, Value> {
    let mut builder = ValueBuilder::default();
    schema.send_own(&mut builder);
    let Value::Object(mut node) = builder.finish() else { return Map::new() };
    if let Some(description) = schema.description.as_deref().filter(|description| !description.is_empty()) {
        node.insert("description".to_owned(), json!(description));
    }
    if schema.preserve_unknown_fields == Some(false) {
        node.remove("x-kubernetes-preserve-unknown-fields");
    }
    node.retain(|key, value| !(["default", "example"].contains(&&**key) && value.is_null()));
    let types = json!([{ "type": "integer" }, { "type": "string" }]);
    let is_typed = node.get("anyOf") == Some(&types) || node.get("allOf").is_some_and(|all| all[0]["anyOf"] == types);
    if schema.int_or_string && !is_typed {
        if schema.any_of.is_empty() {
            node.insert("anyOf".to_owned(), types);
        } else {
            let all = schema.all_of.iter().map(Schema::to_value);
            node.insert("allOf".to_owned(), [json!({ "anyOf": types })].into_iter().chain(all).collect());
        }
    }
    node
}

/// Removes what v2 does not have.
fn reduce(schema: &Schema, node: &mut Map<String, Value>) {
    let is_open = schema.preserve_unknown_fields == Some(true);
    node.retain(|key, _| !REDUCED.contains(&&**key));
    let kind = schema.kind.as_deref();
    let is_untyped = kind == Some("array") && !node.contains_key("items") || kind == Some("object") && is_open;
    if schema.nullable || is_untyped {
        node.remove("type");
    }
    let is_nullable =
        |name: &str| node.contains_key("properties") && schema.properties.get(name).is_some_and(|field| field.nullable);
    let mut required = schema.required.iter().map(|name| &**name).filter(|name| !is_nullable(name)).collect::<Vec<_>>();
    if matches!(&schema.additional_properties, Some(AdditionalProperties::Values(values)) if values.nullable) {
        required.clear();
    }
    if required.is_empty() {
        node.remove("required");
    } else {
        node.insert("required".to_owned(), json!(required));
    }
}
