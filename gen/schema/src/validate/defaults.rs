//! Filling in defaults, as an API server does before it validates an object.
//!
//! Fed with a schema and a value that is changed in place. Read by the check of defaults ([`crate::refusal`]) and by
//! whoever wants to know what becomes of a manifest.
//!
//! Invariants: what a server would add is added, and nothing else; a second run changes nothing. Defaults inside
//! junctors do not count, nor does a default of null. A default is filled in before what is below it, so `default: {}`
//! gets the defaults of its properties.

use serde_json::Value;

use crate::schema::{AdditionalProperties, Schema};

/// Drops every null of a field that is neither nullable nor has a default, then fills in defaults for fields that are
/// absent or null without being nullable.
pub fn apply_defaults(schema: &Schema, value: &mut Value) {
    drop_nulls(schema, value);
    fill_in(schema, value);
}

fn default_of(schema: &Schema) -> Option<&Value> {
    schema.default.as_ref().filter(|default| !default.is_null())
}

/// The schema of a field, named or not.
fn below<'s>(schema: &'s Schema, name: &str) -> Option<&'s Schema> {
    schema.properties.get(name).or(match &schema.additional_properties {
        Some(AdditionalProperties::Values(values)) => Some(values),
        _ => None,
    })
}

fn drop_nulls(schema: &Schema, value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.retain(|name, value| {
                let Some(below) = below(schema, name) else { return true };
                if value.is_null() {
                    return below.nullable || default_of(below).is_some();
                }
                drop_nulls(below, value);
                true
            });
        }
        Value::Array(items) => {
            if let Some(item_schema) = &schema.items {
                items.iter_mut().for_each(|item| drop_nulls(item_schema, item));
            }
        }
        _ => {}
    }
}

fn fill_in(schema: &Schema, value: &mut Value) {
    let is_hole = |value: &Value, schema: &Schema| value.is_null() && !schema.nullable;
    match value {
        Value::Object(object) => {
            for (name, property) in &schema.properties {
                let Some(default) = default_of(property) else { continue };
                if object.get(name.as_ref()).is_none_or(|value| is_hole(value, property)) {
                    object.insert(name.to_string(), default.clone());
                }
            }
            for (name, value) in object.iter_mut() {
                let Some(below) = below(schema, name) else { continue };
                // Only the values of a map can still be holes.
                if is_hole(value, below) {
                    *value = default_of(below).cloned().unwrap_or(Value::Null);
                }
                fill_in(below, value);
            }
        }
        Value::Array(items) => {
            let Some(item_schema) = &schema.items else { return };
            for item in items {
                if is_hole(item, item_schema) {
                    *item = default_of(item_schema).cloned().unwrap_or(Value::Null);
                }
                fill_in(item_schema, item);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(schema: Value, mut value: Value, expected: Value) {
        let schema = Schema::from_value(&schema).unwrap();
        for _ in 0..2 {
            apply_defaults(&schema, &mut value);
            assert_eq!(value, expected);
        }
    }

    #[test]
    fn absent_fields_and_nulls() {
        let of = json!({"properties": {
            "a": {"type": "string", "default": "x"}, "b": {"type": "string", "nullable": true, "default": "y"}, "c": {"type": "string"},
            "d": {"type": "object", "default": {}, "properties": {"e": {"type": "integer", "default": 1}}},
            "f": {"type": "object", "properties": {"g": {"type": "integer", "default": 2}}}, "h": {"type": "string", "default": null}}});
        check(of.clone(), json!({}), json!({"a": "x", "b": "y", "d": {"e": 1}}));
        check(
            of,
            json!({"a": null, "b": null, "c": null, "f": {}, "z": null}),
            json!({"a": "x", "b": null, "d": {"e": 1}, "f": {"g": 2}, "z": null}),
        );
    }

    #[test]
    fn items_and_values() {
        let inner =
            json!({"type": "object", "default": {"b": 1}, "properties": {"a": {"type": "integer", "default": 0}}});
        check(json!({"items": inner}), json!([null, {}, {"a": 5}]), json!([{"a": 0, "b": 1}, {"a": 0}, {"a": 5}]));
        check(
            json!({"additionalProperties": inner}),
            json!({"x": null, "y": {}}),
            json!({"x": {"a": 0, "b": 1}, "y": {"a": 0}}),
        );
        check(json!({"items": {"type": "string"}}), json!([null]), json!([null]));
        check(json!({"anyOf": [{"properties": {"a": {"default": 1}}}]}), json!({}), json!({}));
    }
}
