//! Kubernetes' own operations, parameters and schemas, as a table.
//!
//! Invariant: names and structure are those of Kubernetes; the descriptions are of this project.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::dialect::SCHEMAS;

/// The name of the scale of a resource.
pub(super) const SCALE: &str = "io.k8s.api.autoscaling.v1.Scale";

/// The name of a schema that all resources use, such as `ObjectMeta`.
pub(super) fn meta(name: &str) -> String {
    format!("io.k8s.apimachinery.pkg.apis.meta.v1.{name}")
}

pub(super) struct Kubernetes {
    /// By name. `{}` in the text is replaced by the subresource, `Object` by the kind, and other contents are names of schemas of [`meta`].
    pub(super) operations: Map<String, Value>,
    /// By key: the `name`, `in`, `type` and `description` of each parameter.
    pub(super) parameters: Map<String, Value>,
    schemas: Map<String, Value>,
}

impl Kubernetes {
    pub(super) fn read() -> Self {
        let mut data: Value = serde_json::from_str(include_str!("kubernetes.json")).expect("a test reads the file");
        let mut part = |key: &str| match data[key].take() {
            Value::Object(map) => map,
            _ => Map::new(),
        };
        Self { operations: part("operations"), parameters: part("parameters"), schemas: part("schemas") }
    }

    /// The schemas that these values refer to, and those that they refer to.
    pub(super) fn schemas_of<'v>(&self, values: impl Iterator<Item = &'v Value>) -> Vec<(String, &Value)> {
        let mut names = BTreeSet::new();
        values.for_each(|value| self.collect(value, &mut names));
        names.into_iter().filter_map(|name| Some((name.to_owned(), self.schemas.get(name)?))).collect()
    }

    fn collect<'s>(&'s self, value: &Value, names: &mut BTreeSet<&'s str>) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.collect(item, names)),
            Value::Object(map) => map.values().for_each(|value| self.collect(value, names)),
            Value::String(reference) => {
                let name = reference.strip_prefix(SCHEMAS).or_else(|| reference.strip_prefix("#/definitions/"));
                if let Some((name, schema)) = name.and_then(|name| self.schemas.get_key_value(name))
                    && names.insert(name)
                {
                    self.collect(schema, names);
                }
            }
            _ => {}
        }
    }
}
