//! Pruning: an API server drops the fields of an object that its schema does not have.
//!
//! Invariants, those of the server:
//! * `apiVersion`, `kind` and `metadata` of a resource and of an embedded resource stay; [`crate::validate`](mod@crate::validate) checks them.
//! * Below a part without a schema, such as the values of `additionalProperties: true`, every object loses all of its fields.
//! * `x-kubernetes-preserve-unknown-fields` keeps what is unknown in the node, and in lists below it that `items` describes. Fields that the
//!   schema has are pruned as elsewhere.
//! * Only `properties`, `additionalProperties` and `items` count.

use serde_json::Value;

use crate::path::{Path, Segment};
use crd_model::schema::{AdditionalProperties, Schema};

/// Fields of every resource, whatever its schema has.
const OF_EVERY_RESOURCE: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Drops the fields of a custom resource that the schema of its version does not have. Returns their paths, such as
/// `spec.listeners[0].colour`, sorted as text: those that a server names in its warnings, or in its error under strict validation.
pub fn prune(schema: &Schema, object: &mut Value) -> Vec<String> {
    let mut unknown = Vec::new();
    let inherited = Inherited { is_resource: true, keeps_unknown: false };
    let mut report = |path: &Path<'_, '_>| unknown.push(path.trail().dotted());
    node(Some(schema), inherited, Access::Change(object), &Path::ROOT, &mut report);
    unknown.sort_unstable();
    unknown
}

/// Reports the paths of the fields that pruning would drop.
pub(crate) fn unknown_fields(schema: &Schema, value: &Value, is_resource: bool, report: &mut dyn FnMut(&Path<'_, '_>)) {
    let inherited = Inherited { is_resource, keeps_unknown: false };
    node(Some(schema), inherited, Access::Read(value), &Path::ROOT, report);
}

/// A value whose unknown fields are only reported, or also dropped.
enum Access<'v> {
    Read(&'v Value),
    Change(&'v mut Value),
}

impl Access<'_> {
    /// Visits members and items. Members for which the visitor returns false are dropped.
    fn each(self, mut visit: impl FnMut(Segment<'_>, Access<'_>) -> bool) {
        match self {
            Self::Read(Value::Object(object)) => {
                object.iter().for_each(|(name, value)| _ = visit(Segment::Field(name), Access::Read(value)));
            }
            Self::Change(Value::Object(object)) => {
                object.retain(|name, value| visit(Segment::Field(name), Access::Change(value)));
            }
            Self::Read(Value::Array(items)) => {
                items.iter().enumerate().for_each(|(index, item)| _ = visit(Segment::Item(index), Access::Read(item)));
            }
            Self::Change(Value::Array(items)) => {
                let items = items.iter_mut().enumerate();
                items.for_each(|(index, item)| _ = visit(Segment::Item(index), Access::Change(item)));
            }
            Self::Read(_) | Self::Change(_) => {}
        }
    }
}

/// What a node has from its parent.
#[derive(Clone, Copy, Default)]
struct Inherited {
    is_resource: bool,
    /// It is an item of a list that keeps unknown fields.
    keeps_unknown: bool,
}

/// What the schema has about a field.
enum Field<'s> {
    Known(&'s Schema),
    /// The field is allowed, and its value has no schema.
    Open,
    Unknown,
}

fn field<'s>(schema: &'s Schema, name: &str) -> Field<'s> {
    match (schema.properties.get(name), &schema.additional_properties) {
        (Some(property), _) => Field::Known(property),
        (None, Some(AdditionalProperties::Values(values))) => Field::Known(values),
        (None, Some(AdditionalProperties::Allowed(_))) => Field::Open,
        (None, None) => Field::Unknown,
    }
}

fn node(
    schema: Option<&Schema>,
    inherited: Inherited,
    value: Access<'_>,
    path: &Path<'_, '_>,
    report: &mut dyn FnMut(&Path<'_, '_>),
) {
    let keeps_unknown =
        inherited.keeps_unknown || schema.is_some_and(|schema| schema.preserve_unknown_fields == Some(true));
    let is_resource = inherited.is_resource || schema.is_some_and(|schema| schema.embedded_resource);
    value.each(|segment, value| {
        let (below, inherited) = match segment {
            Segment::Item(_) => match schema.and_then(|schema| schema.items.as_deref()) {
                None if keeps_unknown => return true,
                below => (below, Inherited { is_resource: false, keeps_unknown }),
            },
            // Values do not have branches.
            Segment::Branch(..) => return true,
            Segment::Field(name) | Segment::Key(name) => {
                if is_resource && OF_EVERY_RESOURCE.contains(&name) {
                    return true;
                }
                match schema.map_or(Field::Unknown, |schema| field(schema, name)) {
                    Field::Known(below) => (Some(below), Inherited::default()),
                    Field::Open => (None, Inherited::default()),
                    Field::Unknown if keeps_unknown => return true,
                    Field::Unknown => {
                        report(&path.below(segment));
                        return false;
                    }
                }
            }
        };
        node(below, inherited, value, &path.below(segment), report);
        true
    });
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(schema: Value, before: Value, after: Value, unknown: &[&str]) {
        let schema = Schema::from_value(&schema).unwrap();
        let mut object = before;
        assert_eq!(prune(&schema, &mut object), unknown);
        assert_eq!(object, after);
        assert!(prune(&schema, &mut object).is_empty(), "a second time");
    }

    #[test]
    fn unknown_fields_are_dropped_and_reported_in_order() {
        let schema = json!({"properties": {"spec": {"properties": {"list": {"items": {"properties": {"a": {}}}}}}}});
        check(
            schema,
            json!({"spec": {"list": [{"a": 1, "b": 2}, 3], "z": 1}, "other": 1}),
            json!({"spec": {"list": [{"a": 1}, 3]}}),
            &["other", "spec.list[0].b", "spec.z"],
        );
    }

    #[test]
    fn resources_keep_their_identity() {
        let meta = json!({"apiVersion": "v1", "kind": "A", "metadata": {"x": 1}});
        check(json!({}), meta.clone(), meta.clone(), &[]);
        let embedded = json!({"properties": {"a": {"x-kubernetes-embedded-resource": true}, "b": {}}});
        check(
            embedded,
            json!({"a": meta, "b": meta}),
            json!({"a": meta, "b": {}}),
            &["b.apiVersion", "b.kind", "b.metadata"],
        );
    }

    #[test]
    fn maps_keep_their_keys_and_open_maps_lose_what_is_inside() {
        let values = json!({"properties": {"m": {"additionalProperties": {"properties": {"a": {}}}}}});
        check(values, json!({"m": {"k": {"a": 1, "b": 2}}}), json!({"m": {"k": {"a": 1}}}), &["m.k.b"]);
        let open = json!({"properties": {"m": {"additionalProperties": true}}});
        check(
            open,
            json!({"m": {"k": {"a": 1}, "l": [[{"b": 2}]]}}),
            json!({"m": {"k": {}, "l": [[{}]]}}),
            &["m.k.a", "m.l[0][0].b"],
        );
    }

    #[test]
    fn unknown_fields_are_preserved_where_the_schema_asks_for_it() {
        let kept = |more: Value| {
            let mut node = json!({"x-kubernetes-preserve-unknown-fields": true});
            for (name, value) in more.as_object().unwrap() {
                node[name] = value.clone();
            }
            json!({"properties": {"p": node}})
        };
        check(
            kept(json!({"properties": {"a": {}}})),
            json!({"p": {"a": {"x": 1}, "b": {"y": 1}}}),
            json!({"p": {"a": {}, "b": {"y": 1}}}),
            &["p.a.x"],
        );
        check(kept(json!({})), json!({"p": [{"a": [{"b": 1}]}]}), json!({"p": [{"a": [{"b": 1}]}]}), &[]);
        check(
            kept(json!({"items": {"properties": {"a": {}}}})),
            json!({"p": [{"a": {"x": 1}, "b": 1}]}),
            json!({"p": [{"a": {}, "b": 1}]}),
            &["p[0].a.x"],
        );
    }
}
