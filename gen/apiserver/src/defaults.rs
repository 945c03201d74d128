//! Defaults of a schema put into a value, as an API server does.
//!
//! Invariants, those of the server's own order of work:
//! * First it removes every null in an object where its schema is not nullable and does not have a default. Nulls in lists stay, so that
//!   no item changes its place. Where the schema is nullable, null is a value: it stays, and no default takes its place.
//! * Then, from the outside in, an absent property, and a null whose schema is not nullable, becomes the default. What was filled in is
//!   processed like existing values, so a default can be completed by the defaults below it.
//! * A property without a default is never made up, not even to hold properties that have some.
//! * Only `properties`, `additionalProperties` and `items` count; what `allOf`, `anyOf`, `oneOf` and `not` say brings no defaults.
//! * The value as a whole is never replaced. Doing it twice changes nothing more.

use serde_json::{Map, Value};

use crd_model::schema::Schema;

/// Fills the defaults of a schema into a value, and drops the nulls that mean absence.
pub fn apply_defaults(schema: &Schema, value: &mut Value) {
    drop_nulls(schema, value);
    fill_defaults(schema, value);
}

/// The default. The server ignores a default of null.
fn default_of(schema: &Schema) -> Option<&Value> {
    schema.default.as_ref().filter(|default| !default.is_null())
}

fn below<'s>(schema: &'s Schema, name: &str) -> Option<&'s Schema> {
    schema.properties.get(name).or_else(|| schema.values())
}

/// Drops the nulls that mean absence.
pub(crate) fn drop_nulls(schema: &Schema, value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.retain(|name, value| {
                let means_absence =
                    below(schema, name).is_some_and(|below| !below.nullable && default_of(below).is_none());
                !(value.is_null() && means_absence)
            });
            for (name, value) in object {
                if let Some(below) = below(schema, name) {
                    drop_nulls(below, value);
                }
            }
        }
        Value::Array(items) => {
            if let Some(below) = &schema.items {
                items.iter_mut().for_each(|item| drop_nulls(below, item));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Fills the defaults of a schema into a value, whose nulls stay unless a default takes their place.
pub fn fill_defaults(schema: &Schema, value: &mut Value) {
    match value {
        Value::Object(object) => {
            add_absent(schema, object);
            for (name, value) in object {
                if let Some(below) = below(schema, name) {
                    replace_null(below, value);
                    fill_defaults(below, value);
                }
            }
        }
        Value::Array(items) => {
            if let Some(below) = &schema.items {
                for item in items {
                    replace_null(below, item);
                    fill_defaults(below, item);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn add_absent(schema: &Schema, object: &mut Map<String, Value>) {
    for (name, property) in &schema.properties {
        if let Some(default) = default_of(property)
            && !object.contains_key(name.as_ref())
        {
            object.insert(name.to_string(), default.clone());
        }
    }
}

fn replace_null(schema: &Schema, value: &mut Value) {
    if value.is_null()
        && !schema.nullable
        && let Some(default) = default_of(schema)
    {
        *value = default.clone();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(schema: Value, before: Value, after: Value) {
        let schema = Schema::from_value(&schema).unwrap();
        let mut value = before;
        apply_defaults(&schema, &mut value);
        assert_eq!(value, after);
        apply_defaults(&schema, &mut value);
        assert_eq!(value, after, "a second time");
    }

    #[test]
    fn absent_properties_are_filled_in() {
        let schema = json!({"type": "object", "properties": {
            "port": {"type": "integer", "default": 80},
            "name": {"type": "string"},
        }});
        check(schema.clone(), json!({}), json!({"port": 80}));
        check(schema.clone(), json!({"port": 0, "name": "a"}), json!({"port": 0, "name": "a"}));
        // A value of the wrong kind is left to validation.
        check(schema.clone(), json!({"port": {}}), json!({"port": {}}));
        check(schema, json!([]), json!([]));
    }

    #[test]
    fn every_zero_but_null_counts_as_present() {
        let schema = json!({"properties": {"a": {"default": "A"}}});
        for zero in [json!(0), json!(0.0), json!(""), json!(false), json!([]), json!({})] {
            check(schema.clone(), json!({"a": zero}), json!({"a": zero}));
        }
        check(schema, json!({"a": null}), json!({"a": "A"}));
    }

    #[test]
    fn what_was_filled_in_is_completed() {
        let schema = json!({"properties": {
            "outer": {"default": {"list": [{}, {"a": 1}]}, "properties": {
                "list": {"items": {"properties": {"a": {"default": 7}}}},
                "map": {"default": {"x": {}}, "additionalProperties": {"properties": {"b": {"default": true}}}},
            }},
        }});
        check(schema, json!({}), json!({"outer": {"list": [{"a": 7}, {"a": 1}], "map": {"x": {"b": true}}}}));
    }

    #[test]
    fn nothing_is_made_up_to_hold_a_default() {
        let schema = json!({"properties": {"outer": {"properties": {"a": {"default": 1}}}}});
        check(schema.clone(), json!({}), json!({}));
        check(schema.clone(), json!({"outer": null}), json!({}));
        check(schema, json!({"outer": {}}), json!({"outer": {"a": 1}}));
    }

    #[test]
    fn lists_and_maps_are_filled_in_item_by_item() {
        let item = json!({"properties": {"a": {"default": "A"}}});
        check(
            json!({"items": item}),
            json!([{}, {"a": "x"}, {"b": 1}, 5]),
            json!([{"a": "A"}, {"a": "x"}, {"a": "A", "b": 1}, 5]),
        );
        check(
            json!({"additionalProperties": item}),
            json!({"x": {}, "y": {"a": 1}}),
            json!({"x": {"a": "A"}, "y": {"a": 1}}),
        );
        // Named properties are not map values.
        let schema = json!({"properties": {"x": {}}, "additionalProperties": item});
        check(schema, json!({"x": {}, "y": {}}), json!({"x": {}, "y": {"a": "A"}}));
    }

    #[test]
    fn nulls() {
        for (nullable, default, in_object, in_list) in [
            (false, json!("A"), json!({"a": "A"}), json!(["A"])),
            (true, json!("A"), json!({"a": null}), json!([null])),
            (true, json!(null), json!({"a": null}), json!([null])),
            (false, json!(null), json!({}), json!([null])),
        ] {
            let schema = json!({"nullable": nullable, "default": default});
            check(json!({"additionalProperties": schema}), json!({"a": null}), in_object.clone());
            check(json!({"items": schema}), json!([null]), in_list);
            let absent = if default.is_null() { json!({}) } else { json!({"a": "A"}) };
            check(json!({"properties": {"a": schema}}), json!({"a": null}), in_object);
            check(json!({"properties": {"a": schema}}), json!({}), absent);
        }
    }

    #[test]
    fn nulls_that_no_schema_describes_stay() {
        check(json!({"additionalProperties": true}), json!({"a": null}), json!({"a": null}));
        check(json!({"x-kubernetes-preserve-unknown-fields": true}), json!({"a": [null]}), json!({"a": [null]}));
        check(json!({"properties": {"a": {"default": {"b": null}}}}), json!({}), json!({"a": {"b": null}}));
        check(json!({}), json!(null), json!(null));
    }

    #[test]
    fn nulls_go_before_defaults_come() {
        // A null inside a default is as the author wrote it, unless a schema below changes it.
        let schema = json!({"properties": {"a": {"default": {"b": null, "c": null}, "properties": {
            "b": {"default": 1}, "c": {"nullable": true, "default": 2},
        }}}});
        check(schema, json!({}), json!({"a": {"b": 1, "c": null}}));
    }

    #[test]
    fn the_value_as_a_whole_and_value_validations_bring_no_defaults() {
        check(json!({"default": "A"}), json!(null), json!(null));
        check(json!({"allOf": [{"properties": {"a": {"default": 1}}}]}), json!({}), json!({}));
    }
}
