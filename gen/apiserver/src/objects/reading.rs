//! What a server shows of a stored object: reading drops what the schema does not have, and fills in defaults.
//!
//! Invariants, those of the server: pruning, nulls, embedded metadata and defaults follow the version in which the object is stored. If it is
//! read through another version, the schema of that version then prunes, and fills in nothing. A malformed field of embedded
//! metadata is dropped. The metadata of the object itself stays: a server keeps it in the form that it writes.

use crd_model::crd::CustomResourceDefinition;
use crd_model::schema::{AdditionalProperties, Schema};
use serde_json::Value;

use super::{MINORS, any_node, decoding};
use crate::{defaults, prune};

/// How the objects of a CRD are read through one of its versions.
#[derive(Debug)]
pub struct Reading {
    minor: u32,
    stored: Part,
    /// The version of the request, if it reads an object differently.
    requested: Option<Part>,
}

/// What a version contributes.
#[derive(Debug)]
struct Part {
    schema: Schema,
    has_embedded: bool,
}

impl Part {
    fn of(crd: &CustomResourceDefinition, version: &str) -> Option<Self> {
        let version = crd.versions.iter().find(|known| known.name == version)?;
        let schema = outline(&version.schema);
        Some(Self { has_embedded: any_node(&schema, |node| node.embedded_resource), schema })
    }

    fn coerce(&self, object: &mut Value, minor: u32) {
        prune::prune(&self.schema, object);
        defaults::drop_nulls(&self.schema, object);
        if self.has_embedded {
            decoding::coerce_stored(&self.schema, object, minor);
        }
    }
}

/// The keywords that matter for reading.
fn outline(schema: &Schema) -> Schema {
    Schema {
        properties: schema.properties.iter().map(|(name, property)| (name.clone(), outline(property))).collect(),
        items: schema.items.as_deref().map(|items| Box::new(outline(items))),
        additional_properties: schema.additional_properties.as_ref().map(|additional| match additional {
            AdditionalProperties::Values(values) => AdditionalProperties::Values(Box::new(outline(values))),
            AdditionalProperties::Allowed(allowed) => AdditionalProperties::Allowed(*allowed),
        }),
        default: schema.default.clone(),
        nullable: schema.nullable,
        embedded_resource: schema.embedded_resource,
        preserve_unknown_fields: schema.preserve_unknown_fields,
        ..Schema::default()
    }
}

impl Reading {
    /// Prepares the reading of objects that are stored as one version and requested in another, or the same. Nothing if the CRD does not have
    /// them. A minor outside [`MINORS`] means the nearest.
    pub fn prepare(crd: &CustomResourceDefinition, stored: &str, requested: &str, minor: u32) -> Option<Self> {
        let (stored, requested) = (Part::of(crd, stored)?, Part::of(crd, requested)?);
        let requested = Some(requested).filter(|requested| requested.schema != stored.schema);
        Some(Self { minor: minor.clamp(MINORS.0, MINORS.1), stored, requested })
    }

    /// Whether the requested version reads objects as the stored one does.
    pub fn is_direct(&self) -> bool {
        self.requested.is_none()
    }

    /// Brings a stored object into the form in which a server shows it. The API version stays.
    pub fn read(&self, object: &mut Value) {
        self.stored.coerce(object, self.minor);
        defaults::fill_defaults(&self.stored.schema, object);
        if let Some(requested) = &self.requested {
            requested.coerce(object, self.minor);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Reads a value of `spec` that is stored as v1 and requested as v2.
    #[track_caller]
    fn check(stored: Value, requested: Value, before: Value, after: Value) {
        let version = |name: &str, spec: Value| {
            let schema = json!({"type": "object", "properties": {"spec": spec}});
            json!({"name": name, "served": true, "storage": name == "v1", "schema": {"openAPIV3Schema": schema}})
        };
        let mut crd = crd_testdata::thing_crd(&json!({"type": "object"}), &json!({}));
        crd["spec"]["versions"] = json!([version("v1", stored), version("v2", requested)]);
        let crd = CustomResourceDefinition::from_value(&crd).unwrap();
        let reading = Reading::prepare(&crd, "v1", "v2", 36).unwrap();
        let mut object = json!({"metadata": {"name": "a"}, "spec": before});
        reading.read(&mut object);
        assert_eq!(object, json!({"metadata": {"name": "a"}, "spec": after}));
        assert!(Reading::prepare(&crd, "v1", "v3", 36).is_none() && Reading::prepare(&crd, "v0", "v1", 36).is_none());
    }

    #[test]
    fn both_versions_prune_and_only_the_stored_one_has_defaults() {
        let spec = |properties: Value| json!({"type": "object", "properties": properties});
        let number = |default: i64| json!({"type": "integer", "default": default});
        let text = json!({"type": "string"});
        check(
            spec(json!({"a": number(1), "b": number(2), "c": text})),
            spec(json!({"a": number(7), "c": text, "d": number(8)})),
            json!({"c": "C", "d": 4, "e": 5}),
            json!({"a": 1, "c": "C"}),
        );
        // Only one of them describes its items.
        let list = json!({"type": "array", "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
        let typed = json!({"type": "array", "items": spec(json!({"a": text}))});
        check(list, typed, json!([{"a": "A", "b": 1}]), json!([{"a": "A"}]));
        // A null is a value of the one, and means absence in the other.
        let nullable = json!({"type": "string", "nullable": true});
        check(spec(json!({"a": nullable})), spec(json!({"a": text})), json!({"a": null}), json!({}));
    }

    #[test]
    fn what_is_malformed_in_embedded_metadata_is_dropped() {
        let embedded = json!({"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true});
        let loose = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
        let before = json!({"apiVersion": 1, "kind": "A", "metadata": {"name": "a", "labels": 1, "more": true}, "spec": {"a": 1}});
        let dropped = json!({"kind": "A", "metadata": {"name": "a"}, "spec": {"a": 1}});
        check(embedded.clone(), loose, before, dropped.clone());
        check(embedded.clone(), embedded.clone(), dropped.clone(), dropped);
        let mistyped = json!({"kind": "A", "metadata": "a"});
        check(embedded.clone(), embedded, mistyped.clone(), mistyped);
    }
}
