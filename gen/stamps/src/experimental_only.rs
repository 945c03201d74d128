//! The elements of a resource that only experimental has, and that a cluster loses when it returns to standard.
//!
//! Invariants: an element is a name or a value (a resource, an API version, a field, a value of an enum). If a parent is an element, nothing
//! below it is listed. A field that standard keeps anyway (in a map, or in a node that preserves unknown fields) is not an element.
//! Elements are ordered by version as in the CRD, then along the schema with names in ascending order.

use crd_model::crd::Version;
use crd_model::schema::{Counterpart, SchemaPath, keeps_unknown, walk_together};
use crd_model::{CustomResourceDefinition, Schema};
use serde_json::Value;

/// An element that only experimental has, or that needs a conformance feature.
#[derive(Clone, Debug, PartialEq)]
pub enum Element {
    /// The resource: standard does not have the CRD.
    Resource,
    /// The API version: standard does not have it, or does not serve it. In the second case, differences inside the version are elements
    /// too.
    Version {
        /// Whether standard's CRD lists it, unserved.
        listed: bool,
    },
    /// The field at the path, with everything below it.
    Field,
    /// These values of the enum at the path, in the author's order.
    Values(Vec<Value>),
    /// Every value except these: standard has an enum at the path, and experimental does not.
    ValuesExcept(Vec<Value>),
    /// The absence of the field, or an empty text. Only features are about it.
    Empty,
}

/// An element with its location.
#[derive(Clone, Debug, PartialEq)]
pub struct ExperimentalOnly {
    /// The API version; none for the resource as a whole.
    pub version: Option<String>,
    /// The path of a field, or of the field or item with the enum; empty for versions and the resource.
    pub path: SchemaPath,
    /// The element.
    pub element: Element,
}

/// The elements of a resource that only experimental has. `standard` is its CRD in standard, if standard has one.
pub fn experimental_only(
    standard: Option<&CustomResourceDefinition>,
    experimental: &CustomResourceDefinition,
) -> Vec<ExperimentalOnly> {
    let Some(standard) = standard else {
        return vec![ExperimentalOnly { version: None, path: SchemaPath::root(), element: Element::Resource }];
    };
    let mut found = Vec::new();
    for version in &experimental.versions {
        let name = &version.name;
        let known = standard.versions.iter().find(|known| known.name == *name);
        let mut add =
            |path: SchemaPath, element| found.push(ExperimentalOnly { version: Some(name.to_string()), path, element });
        if !known.is_some_and(|known| serves(known, version)) {
            add(SchemaPath::root(), Element::Version { listed: known.is_some() });
        }
        if let Some(known) = known {
            walk_together(&version.schema, &known.schema, &mut |path, schema, known| {
                if let Some(element) = only(schema, known) {
                    add(path.into(), element);
                }
            });
        }
    }
    found
}

/// What a node has that its counterpart has not.
fn only(node: &Schema, known: Counterpart<'_>) -> Option<Element> {
    match known {
        Counterpart::NoField(above) => (!keeps_unknown(above)).then_some(Element::Field),
        Counterpart::Node(known) => match (&known.enumeration, &node.enumeration) {
            (Some(known), Some(values)) => {
                let more = values.iter().filter(|value| !known.contains(value)).cloned().collect::<Vec<_>>();
                (!more.is_empty()).then_some(Element::Values(more))
            }
            (Some(known), None) => Some(Element::ValuesExcept(known.clone())),
            (None, _) => None,
        },
    }
}

/// The CRD of standard with further versions. What an object of a version that standard does not list uses, is compared with the version that standard stores.
pub fn with_versions<'n>(
    standard: &CustomResourceDefinition,
    names: impl IntoIterator<Item = &'n str>,
) -> CustomResourceDefinition {
    let mut standard = standard.clone();
    let stored = standard.versions.iter().find(|version| version.storage).cloned();
    for name in names {
        if let (None, Some(stored)) = (standard.versions.iter().find(|known| known.name == *name), &stored) {
            standard.versions.push(Version { name: name.to_owned().into(), ..stored.clone() });
        }
    }
    standard
}

/// Whether standard serves the version if experimental does.
fn serves(standard: &Version, experimental: &Version) -> bool {
    standard.served || !experimental.served
}

#[cfg(test)]
mod tests {
    use crd_model::schema::Step;
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
        found
            .map(|entry| format!("{} {} {:?}", entry.version.unwrap_or_default(), entry.path.text(), entry.element))
            .collect()
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
                r#"v1 spec.any ValuesExcept([String("a")])"#,
                "v1 spec.map[*].y Field",
                r#"v1 spec.mode Values([String("c"), String("d")])"#,
                "v1 spec.rules[*].deep Field",
            ]
        );
        let found = experimental_only(Some(&standard), &experimental);
        assert_eq!(
            [&found[1].path.steps()[2], &found[3].path.steps()[2]],
            [&Step::Value, &Step::Item],
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
