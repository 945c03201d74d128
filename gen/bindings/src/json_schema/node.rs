//! One node of a Kubernetes schema as a node of draft-07.
//!
//! Invariants: keywords of Kubernetes (`x-kubernetes-…`) stay, those of OpenAPI become those of draft-07. Alternatives (`anyOf` and its like) only
//! restrict values, so that they never close an object.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crd_apiserver::apply_defaults;
use crd_apiserver::validate::validate;
use crd_model::Schema;
use crd_model::document::ValueBuilder;
use serde_json::{Map, Value, json};

use super::{metadata, pattern};

/// The node and all nodes below it. If it is strict, objects have only the fields that a server keeps.
pub(super) fn schema(schema: &Schema, is_strict: bool) -> Value {
    let mut schema = Cow::Borrowed(schema);
    if schema.embedded_resource {
        metadata::complete_embedded(schema.to_mut());
    }
    let mut own = keywords(&schema, &schema);
    if let Some(description) = &schema.description {
        own.insert("description".to_owned(), description.clone().into());
    }
    if !schema.properties.is_empty() {
        let properties =
            schema.properties.iter().map(|(name, field)| (name.to_string(), self::schema(field, is_strict)));
        own.insert("properties".to_owned(), Value::Object(properties.collect()));
    }
    if let Some(items) = &schema.items {
        own.insert("items".to_owned(), self::schema(items, is_strict));
    }
    let is_open = schema.preserve_unknown_fields == Some(true) || schema.additional_properties.is_some();
    if let Some(values) = schema.values() {
        own.insert("additionalProperties".to_owned(), self::schema(values, is_strict));
    } else if is_strict && !is_open && schema.kind.as_deref() == Some("object") {
        own.insert("additionalProperties".to_owned(), false.into());
    }
    Value::Object(own)
}

/// A node that restricts the values of another one, its base, which has the defaults.
fn restriction(schema: &Schema, base: &Schema) -> Value {
    let none = Schema::default();
    let mut own = keywords(schema, base);
    if !schema.properties.is_empty() {
        let properties = schema
            .properties
            .iter()
            .map(|(name, field)| (name.to_string(), restriction(field, base.properties.get(name).unwrap_or(&none))));
        own.insert("properties".to_owned(), Value::Object(properties.collect()));
    }
    if let Some(items) = &schema.items {
        own.insert("items".to_owned(), restriction(items, base.items.as_deref().unwrap_or(&none)));
    }
    if let Some(values) = schema.values() {
        own.insert("additionalProperties".to_owned(), restriction(values, base.values().unwrap_or(&none)));
    }
    Value::Object(own)
}

/// What the node itself states, without its description, fields, items and values.
fn keywords(schema: &Schema, base: &Schema) -> Map<String, Value> {
    let mut builder = ValueBuilder::default();
    schema.send_own(&mut builder);
    let Value::Object(mut own) = builder.finish() else { return Map::new() };
    for changed in ["allOf", "anyOf", "example", "id", "not", "nullable", "oneOf", "required", "type"] {
        own.remove(changed);
    }
    for (bound, exclusive, is_exclusive) in [
        ("maximum", "exclusiveMaximum", schema.exclusive_maximum),
        ("minimum", "exclusiveMinimum", schema.exclusive_minimum),
    ] {
        own.remove(exclusive);
        if let Some(limit) = own.remove(bound) {
            own.insert(if is_exclusive { exclusive } else { bound }.to_owned(), limit);
        }
    }
    if let Some(example) = &schema.example {
        own.insert("examples".to_owned(), json!([example]));
    }
    if schema.pattern.as_deref().is_some_and(|pattern| !pattern::is_portable(pattern)) {
        own.remove("pattern");
    }
    if schema.list_type.as_deref() == Some("set") {
        own.insert("uniqueItems".to_owned(), true.into());
    }
    own.extend(types(schema).map(|types| ("type".to_owned(), types)));
    let required = required(schema, base);
    if !required.is_empty() {
        own.insert("required".to_owned(), required.into());
    }
    let alternatives = alternatives(schema, base);
    if schema.nullable && !alternatives.is_empty() {
        // A server does not compare null with alternatives.
        own.insert("anyOf".to_owned(), json!([{ "type": "null" }, alternatives]));
    } else {
        own.extend(alternatives);
    }
    own
}

/// The fields that an object must have. A server fills in defaults first: a field with a default is never missing, and if the node refuses the
/// default, the field needs another value.
fn required(schema: &Schema, base: &Schema) -> Vec<Value> {
    let default_of = |name: &str| {
        let field = base.properties.get(name)?;
        let mut default = field.default.clone().filter(|default| !default.is_null())?;
        apply_defaults(field, &mut default);
        Some(default)
    };
    let mut required: BTreeSet<&str> = schema.required.iter().map(AsRef::as_ref).collect();
    required.retain(|name| default_of(name).is_none());
    let refuses_default =
        |field: &Schema, name| default_of(name).is_some_and(|default| !validate(field, &default).is_empty());
    let refused = schema.properties.iter().filter(|(name, field)| refuses_default(field, name));
    required.extend(refused.map(|(name, _)| name.as_ref()));
    required.into_iter().map(Value::from).collect()
}

/// The value of `type`.
fn types(schema: &Schema) -> Option<Value> {
    let mut types = match schema.kind.as_deref() {
        _ if schema.int_or_string => vec!["integer", "string"],
        Some(kind) => vec![kind],
        None => return None,
    };
    if schema.nullable {
        types.push("null");
    }
    Some(if let [only] = *types { only.into() } else { types.into() })
}

/// `allOf`, `anyOf`, `oneOf` and `not`.
fn alternatives(schema: &Schema, base: &Schema) -> Map<String, Value> {
    let mut all = Map::new();
    // The type of the node states the same.
    let is_type_of_node = schema.int_or_string && is_int_or_string(&schema.any_of);
    let any_of = if is_type_of_node { &[][..] } else { &schema.any_of };
    for (keyword, schemas) in [("allOf", &*schema.all_of), ("anyOf", any_of), ("oneOf", &*schema.one_of)] {
        if !schemas.is_empty() {
            all.insert(keyword.to_owned(), schemas.iter().map(|schema| restriction(schema, base)).collect());
        }
    }
    if let Some(not) = &schema.not {
        all.insert("not".to_owned(), restriction(not, base));
    }
    all
}

/// Whether these are the two alternatives that a CRD has to write for such a value.
fn is_int_or_string(any_of: &[Schema]) -> bool {
    let of = |kind: &'static str| Schema { kind: Some(kind.into()), ..Schema::default() };
    matches!(any_of, [first, second] if *first == of("integer") && *second == of("string"))
}
