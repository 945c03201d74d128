//! What the objects of one schema become under another: pruned and filled in by the other.
//!
//! Invariants: each object that the first schema accepts is, after the other schema has pruned it, dropped its nulls and filled in its
//! defaults, accepted by the result. The result states less where that is not certain. It is for reasoning only: no server has it.

use crd_model::Schema;
use crd_model::schema::AdditionalProperties;
use crd_regexp::recognise;
use serde_json::Value;

/// A schema of objects that were carried over.
#[derive(Debug)]
pub(crate) struct Carried {
    pub(crate) schema: Schema,
    /// Whether rules read the same values before and after.
    pub(crate) is_unchanged: bool,
}

/// The objects that `from` accepts, as `to` stores them.
pub(crate) fn carried(from: &Schema, to: &Schema) -> Carried {
    if from.kind != to.kind || from.int_or_string != to.int_or_string || from.embedded_resource != to.embedded_resource
    {
        return Carried { schema: unknown(to), is_unchanged: false };
    }
    let mut schema = Schema {
        properties: crd_model::Properties::default(),
        required: Vec::new(),
        items: None,
        additional_properties: None,
        default: None,
        nullable: from.nullable && to.nullable,
        preserve_unknown_fields: to.preserve_unknown_fields,
        ..shallow(from)
    };
    let mut is_unchanged = from.preserve_unknown_fields == to.preserve_unknown_fields;
    // A name that is not in the schema is dropped, and so rules cannot count it.
    is_unchanged &= from.properties.keys().all(|name| to.properties.get(name).is_some());
    for (name, to_child) in &to.properties {
        let default = default_of(to_child);
        let Some(from_child) = from.properties.get(name) else {
            let may_be_there = from.preserve_unknown_fields == Some(true) || from.additional_properties.is_some();
            is_unchanged &= !may_be_there && default.is_none();
            if default.is_some() {
                schema.required.push(name.clone());
            }
            if may_be_there || default.is_some() {
                let is_plain = !may_be_there && to_child.format.is_none();
                let only = default.filter(|_| is_plain).and_then(constant);
                schema.properties.insert(name.clone(), only.unwrap_or_else(|| unknown(to_child)));
            }
            continue;
        };
        let child = carried(from_child, to_child);
        let old_default = default_of(from_child);
        is_unchanged &= child.is_unchanged && is_same_for_null(from_child, to_child);
        let mut child = child.schema;
        if let Some(default) = default.filter(|_| old_default != default) {
            widen(&mut child, default);
        }
        let was_there = from.required.contains(name) && old_default.is_none() && from_child.nullable == child.nullable;
        if default.is_some() || was_there {
            schema.required.push(name.clone());
        }
        schema.properties.insert(name.clone(), child);
    }
    schema.items = match (&from.items, &to.items) {
        (Some(from), Some(to)) => {
            let items = carried(from, to);
            is_unchanged &= items.is_unchanged && is_same_for_null(from, to);
            Some(Box::new(items.schema))
        }
        (_, to) => to.as_ref().map(|to| Box::new(unknown(to))),
    };
    schema.additional_properties = match (&from.additional_properties, &to.additional_properties) {
        (Some(AdditionalProperties::Values(from)), Some(AdditionalProperties::Values(to))) => {
            let values = carried(from, to);
            is_unchanged &= values.is_unchanged && is_same_for_null(from, to);
            Some(AdditionalProperties::Values(Box::new(values.schema)))
        }
        (from, to) => {
            is_unchanged &= from == to;
            match to {
                Some(AdditionalProperties::Values(to)) => Some(AdditionalProperties::Values(Box::new(unknown(to)))),
                other => other.clone(),
            }
        }
    };
    if !is_unchanged {
        // These were about other entries.
        schema.validations.clear();
        (schema.min_properties, schema.max_properties) = (None, None);
    }
    Carried { schema, is_unchanged }
}

/// The keywords of a node, without what is below it.
fn shallow(node: &Schema) -> Schema {
    Schema {
        enumeration: node.enumeration.clone(),
        format: node.format.clone(),
        kind: node.kind.clone(),
        pattern: node.pattern.clone(),
        min_length: node.min_length,
        max_length: node.max_length,
        min_items: node.min_items,
        max_items: node.max_items,
        min_properties: node.min_properties,
        max_properties: node.max_properties,
        minimum: node.minimum.clone(),
        maximum: node.maximum.clone(),
        exclusive_minimum: node.exclusive_minimum,
        exclusive_maximum: node.exclusive_maximum,
        embedded_resource: node.embedded_resource,
        int_or_string: node.int_or_string,
        validations: node.validations.clone(),
        ..Schema::default()
    }
}

/// A node of which only the type is known.
fn unknown(of: &Schema) -> Schema {
    Schema {
        kind: of.kind.clone(),
        format: of.format.clone(),
        int_or_string: of.int_or_string,
        nullable: of.nullable,
        preserve_unknown_fields: Some(true),
        ..Schema::default()
    }
}

/// The default. Servers ignore a default of null.
pub(crate) fn default_of(node: &Schema) -> Option<&Value> {
    node.default.as_ref().filter(|default| !default.is_null())
}

/// Whether two nodes make the same of null and of no value.
pub(crate) fn is_same_for_null(one: &Schema, other: &Schema) -> bool {
    default_of(one) == default_of(other) && one.nullable == other.nullable
}

/// The schema of one scalar value.
fn constant(value: &Value) -> Option<Schema> {
    let kind = match value {
        Value::Bool(_) => "boolean",
        Value::String(_) => "string",
        Value::Number(number) if number.is_i64() => "integer",
        _ => return None,
    };
    let number = value.as_number().cloned();
    Some(Schema {
        kind: Some(kind.into()),
        enumeration: Some(vec![value.clone()]),
        minimum: number.clone(),
        maximum: number,
        ..Schema::default()
    })
}

/// Lets a node accept one more value, without its own defaults.
fn widen(node: &mut Schema, value: &Value) {
    node.validations.clear();
    if let Some(listed) = node.enumeration.as_mut().filter(|listed| !listed.contains(value)) {
        listed.push(value.clone());
    }
    match value {
        Value::String(text) => {
            let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
            node.min_length = node.min_length.filter(|least| *least <= length);
            node.max_length = node.max_length.filter(|most| *most >= length);
            let matches = |pattern: &str| recognise(pattern).is_ok_and(|pattern| pattern.is_match(text) == Some(true));
            node.pattern = node.pattern.take().filter(|pattern| matches(pattern));
            node.format = None;
        }
        Value::Number(number) => {
            let is_within = |limit: &serde_json::Number, least: bool| {
                limit
                    .as_f64()
                    .zip(number.as_f64())
                    .is_some_and(|(limit, number)| if least { limit < number } else { limit > number })
            };
            node.minimum = node.minimum.take().filter(|limit| is_within(limit, true));
            node.maximum = node.maximum.take().filter(|limit| is_within(limit, false));
        }
        Value::Bool(_) | Value::Null => {}
        Value::Array(_) | Value::Object(_) => *node = unknown(node),
    }
}
