//! What only experimental has: of one resource, everything that is lost when a cluster goes back to standard.
//!
//! Invariants: only names and values count (a resource, an API version, a field, a value of an enum); what is new as a whole is one entry, and
//! nothing below it is listed; a field that standard would keep all the same (a map, or a node that preserves unknown fields) is none.
//! Entries come by version as the CRD has them, then along the schema with names in ascending order.

use std::fmt;

use crd_model::crd::Version;
use crd_model::schema::AdditionalProperties;
use crd_model::{CustomResourceDefinition, Schema};
use serde_json::Value;

/// A step into an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// A field of a struct.
    Field(String),
    /// Every item of a list.
    Items,
    /// Every value of a map.
    MapValues,
}

/// A way into an object, from its root: `spec.rules[*].matches`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path(pub Vec<Step>);

impl fmt::Display for Path {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.0.iter().enumerate() {
            match step {
                Step::Field(name) if index == 0 => formatter.write_str(name)?,
                Step::Field(name) => write!(formatter, ".{name}")?,
                Step::Items | Step::MapValues => formatter.write_str("[*]")?,
            }
        }
        Ok(())
    }
}

/// What only experimental has.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// The resource: standard has no such CRD.
    Resource,
    /// The API version: standard has none of this name, or has it and does not serve it. In the second case what differs inside of it has
    /// entries of its own.
    Version {
        /// Whether standard's CRD lists it, unserved.
        listed: bool,
    },
    /// The field at the path, with everything below it.
    Field,
    /// These values of the enum at the path, in the author's order.
    Values(Vec<Value>),
    /// Every value but these: the enum at the path is standard's, and experimental has none there.
    ValuesBut(Vec<Value>),
}

/// Something that only experimental has.
#[derive(Clone, Debug, PartialEq)]
pub struct ExperimentalOnly {
    /// The API version; none for the resource as a whole.
    pub version: Option<String>,
    /// Where: the field itself for a field, the field or item with the enum for values, empty for versions and the resource.
    pub path: Path,
    /// What.
    pub what: What,
}

/// Everything of a resource that only experimental has. `standard` is its CRD in standard, if standard has one.
pub fn experimental_only(
    standard: Option<&CustomResourceDefinition>,
    experimental: &CustomResourceDefinition,
) -> Vec<ExperimentalOnly> {
    let Some(standard) = standard else {
        return vec![ExperimentalOnly { version: None, path: Path::default(), what: What::Resource }];
    };
    let mut found = Vec::new();
    for version in &experimental.versions {
        let name = &version.name;
        let known = standard.versions.iter().find(|known| known.name == *name);
        let mut add = |path: Path, what| found.push(ExperimentalOnly { version: Some(name.to_string()), path, what });
        if !known.is_some_and(|known| serves(known, version)) {
            add(Path::default(), What::Version { listed: known.is_some() });
        }
        if let Some(known) = known {
            walk(&known.schema, &version.schema, &mut Path::default(), &mut add);
        }
    }
    found
}

/// Whether standard serves the version if experimental does.
fn serves(standard: &Version, experimental: &Version) -> bool {
    standard.served || !experimental.served
}

fn walk(standard: &Schema, experimental: &Schema, path: &mut Path, add: &mut dyn FnMut(Path, What)) {
    match (&standard.enumeration, &experimental.enumeration) {
        (Some(known), Some(values)) => {
            let more = values.iter().filter(|value| !known.contains(value)).cloned().collect::<Vec<_>>();
            if !more.is_empty() {
                add(path.clone(), What::Values(more));
            }
        }
        (Some(known), None) => add(path.clone(), What::ValuesBut(known.clone())),
        (None, _) => {}
    }
    let keeps = standard.preserve_unknown_fields == Some(true) || standard.additional_properties.is_some();
    for (name, property) in &experimental.properties {
        path.0.push(Step::Field(name.to_string()));
        match standard.properties.get(name) {
            Some(known) => walk(known, property, path, add),
            None if keeps => {}
            None => add(path.clone(), What::Field),
        }
        path.0.pop();
    }
    if let (Some(known), Some(items)) = (&standard.items, &experimental.items) {
        path.0.push(Step::Items);
        walk(known, items, path, add);
        path.0.pop();
    }
    if let (Some(AdditionalProperties::Values(known)), Some(AdditionalProperties::Values(values))) =
        (&standard.additional_properties, &experimental.additional_properties)
    {
        path.0.push(Step::MapValues);
        walk(known, values, path, add);
        path.0.pop();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use serde_json::json;

    use super::*;

    fn crd(versions: Value) -> CustomResourceDefinition {
        let names = json!({ "kind": "Test", "plural": "tests" });
        let spec = json!({ "group": "example.com", "names": names, "scope": "Namespaced", "versions": versions });
        let crd = json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": { "name": "tests.example.com" },
            "spec": spec,
        });
        CustomResourceDefinition::from_value(&crd).unwrap()
    }

    fn version(name: &str, served: bool, spec: Value) -> Value {
        let schema = json!({ "type": "object", "properties": { "spec": spec } });
        json!({ "name": name, "served": served, "storage": true, "schema": { "openAPIV3Schema": schema } })
    }

    /// Each entry in a line.
    fn lines(standard: Option<&CustomResourceDefinition>, experimental: &CustomResourceDefinition) -> Vec<String> {
        let found = experimental_only(standard, experimental).into_iter();
        found.map(|entry| format!("{} {} {:?}", entry.version.unwrap_or_default(), entry.path, entry.what)).collect()
    }

    #[test]
    fn fields_and_values_are_found_at_the_top_of_what_is_new() {
        let text = || json!({ "type": "string" });
        let standard = crd(json!([version(
            "v1",
            true,
            json!({ "type": "object", "properties": {
                "mode": { "type": "string", "enum": ["a", "b"] },
                "any": { "type": "string", "enum": ["a"] },
                "narrower": { "type": "string" },
                "rules": { "type": "array", "items": { "type": "object", "properties": { "name": text() } } },
                "map": { "type": "object", "additionalProperties": { "type": "object", "properties": { "x": text() } } },
                "open": { "type": "object", "x-kubernetes-preserve-unknown-fields": true },
                "alone": text(),
            } }),
        )]));
        let experimental = crd(json!([version(
            "v1",
            true,
            json!({ "type": "object", "properties": {
                "mode": { "type": "string", "enum": ["c", "b", "a", "d"] },
                "any": { "type": "string" },
                "narrower": { "type": "string", "enum": ["a"] },
                "rules": { "type": "array", "items": { "type": "object", "properties": {
                    "name": text(), "deep": { "type": "object", "properties": { "er": text() } } } } },
                "map": { "type": "object", "additionalProperties": { "type": "object", "properties": { "y": text() } } },
                "open": { "type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": { "kept": text() } },
            } }),
        )]));
        assert_eq!(
            lines(Some(&standard), &experimental),
            [
                r#"v1 spec.any ValuesBut([String("a")])"#,
                "v1 spec.map[*].y Field",
                r#"v1 spec.mode Values([String("c"), String("d")])"#,
                "v1 spec.rules[*].deep Field",
            ]
        );
        let found = experimental_only(Some(&standard), &experimental);
        assert_eq!(
            [&found[1].path.0[2], &found[3].path.0[2]],
            [&Step::MapValues, &Step::Items],
            "lists and maps are distinguished"
        );
        assert_eq!(lines(Some(&experimental), &experimental), Vec::<String>::new());
    }

    #[test]
    fn whole_resources_and_versions_are_one_entry() {
        let spec = || json!({ "type": "object", "properties": { "name": { "type": "string" } } });
        let empty = || json!({ "type": "object" });
        let standard = crd(json!([version("v1", true, spec()), version("v1alpha2", false, empty())]));
        let experimental = crd(json!([
            version("v1", true, spec()),
            version("v1alpha2", true, spec()),
            version("v1alpha3", true, spec()),
            version("v1alpha1", false, spec()),
        ]));
        assert_eq!(lines(None, &experimental), [" ".to_owned() + " Resource"]);
        assert_eq!(
            lines(Some(&standard), &experimental),
            [
                "v1alpha2  Version { listed: true }",
                "v1alpha2 spec.name Field",
                "v1alpha3  Version { listed: false }",
                "v1alpha1  Version { listed: false }",
            ]
        );
    }
}
