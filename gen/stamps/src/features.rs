//! `features.json`: the conformance features that elements of an API need, and how an object leads to the implementation that serves it.
//!
//! Invariants: any one of the features of an element is enough, or of a part that shares one with it; a field without features of its own needs
//! none, wherever it is; the same facts are the same bytes, and what was written reads back.

use std::collections::BTreeSet;

use crd_model::schema::path::{SchemaPath, Step, is_below};
use crd_model::{CustomResourceDefinition, Schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::experimental_only::{Element, ExperimentalOnly};

/// The name of the file in the bundle's folder.
pub const FILE_NAME: &str = "features.json";

const SCHEMA_VERSION: u8 = 1;

/// `features.json` of a bundle: the conformance features that fields, values and resources need.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Features {
    #[cfg_attr(feature = "schema", schemars(with = "crd_model::document::SchemaVersion<1>"))]
    schema_version: u8,
    /// The program that wrote it.
    pub generator: String,
    /// The prefix of the API's stamps.
    pub prefix: String,
    /// How objects lead to their implementation, if the API declares it.
    pub implementations: Option<Implementations>,
    /// What needs features.
    pub elements: Vec<FeatureElement>,
}

/// What needs features.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FeatureElement {
    /// The name of the CRD.
    pub crd: String,
    /// The schema path of the field; empty for every object of these API versions.
    pub path: String,
    /// The value, if a value needs the features. An empty one is that of an absent or empty field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The API versions that have it.
    pub versions: Vec<String>,
    /// The features; one of them is enough.
    pub features: BTreeSet<String>,
}

/// How objects lead to their implementation, as the settings declare it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Implementations {
    /// The name of the CRD whose objects stand for implementations: classes.
    pub class: String,
    /// Where a class lists the features that its implementation supports.
    pub features: String,
    /// Where a class names its controller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub controller: Option<String>,
    /// The references from objects to their parents.
    #[serde(default)]
    pub references: Vec<Reference>,
}

/// References from the objects of a CRD. A text at the path is a name; a map has `name`, and may have `namespace`, `group` and `kind`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reference {
    /// The name of the CRD whose objects have them.
    pub from: String,
    /// Where they are.
    pub path: String,
    /// The names of the CRDs that they lead to; a reference without `group` and `kind` is about the first.
    pub to: Vec<String>,
}

/// An element that an implementation does not support, with the features of which it has none.
pub type Unsupported = (ExperimentalOnly, Vec<String>);

impl Features {
    /// A document of this program.
    pub fn new(
        generator: &str,
        prefix: &str,
        implementations: Option<Implementations>,
        elements: Vec<FeatureElement>,
    ) -> Self {
        let (generator, prefix) = (generator.to_owned(), prefix.to_owned());
        Self { schema_version: SCHEMA_VERSION, generator, prefix, implementations, elements }
    }

    /// The text of the file, with a line for each element.
    pub fn to_json(&self) -> String {
        let elements = self.elements.iter().map(|element| json!(element).to_string()).collect::<Vec<_>>().join(",\n");
        let (prefix, implementations) = (json!(self.prefix), json!(self.implementations));
        format!(
            "{{\n\"schemaVersion\": {SCHEMA_VERSION},\n\"generator\": {},\n\"prefix\": {prefix},\n\"implementations\": {implementations},\n\"elements\": [\n{elements}\n]\n}}\n",
            json!(self.generator)
        )
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// What is wrong, with its line.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let document: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        match document.schema_version {
            SCHEMA_VERSION => Ok(document),
            other => Err(format!("its `schemaVersion` is {other}, and this program reads {SCHEMA_VERSION}")),
        }
    }

    /// The features of an element. Where a part of a field shares a feature with it, the other features of the part are other names of that feature.
    fn with_parts(&self, element: &FeatureElement) -> BTreeSet<String> {
        let is_part = |other: &&FeatureElement| {
            let is_container = !element.path.is_empty() && other.path != element.path;
            other.crd == element.crd && is_container && is_below(&other.path, &element.path)
        };
        let shares = |other: &&FeatureElement| !other.features.is_disjoint(&element.features);
        let parts = self.elements.iter().filter(|_| element.value.is_none()).filter(is_part).filter(shares);
        parts.chain([element]).flat_map(|of| of.features.iter().cloned()).collect()
    }

    /// What an implementation with these features does not support of a CRD: the resource, or elements of its versions. If a field is unsupported,
    /// nothing below it is listed.
    pub fn unsupported(&self, crd: &CustomResourceDefinition, supported: &BTreeSet<String>) -> Vec<Unsupported> {
        let mut found: Vec<Unsupported> = Vec::new();
        let of_crd = self.elements.iter().filter(|element| element.crd == *crd.name);
        // An empty text does not use such a field.
        let has_empty = |of: &FeatureElement| {
            of_crd.clone().any(|element| element.path == of.path && element.value.as_deref() == Some(""))
        };
        for (element, features) in of_crd.clone().map(|element| (element, self.with_parts(element))) {
            if !features.is_disjoint(supported) {
                continue;
            }
            let features = features.into_iter().collect::<Vec<_>>();
            for version in crd.versions.iter().filter(|version| element.versions.iter().any(|of| **of == *version.name))
            {
                if element.path.is_empty() {
                    let element = Element::Resource;
                    return vec![(ExperimentalOnly { version: None, path: SchemaPath::root(), element }, features)];
                }
                // The other channel may have it.
                let Some((path, schema)) = path_in(&element.path, &version.schema) else { continue };
                let element = match element.value.as_deref() {
                    None if has_empty(element) => Element::ValuesExcept(vec!["".into()]),
                    None => Element::Field,
                    Some("") => Element::Empty,
                    Some(value) => Element::Values(vec![typed(value, schema)]),
                };
                let only = ExperimentalOnly { version: Some(version.name.to_string()), path, element };
                found.push((only, features.clone()));
            }
        }
        let fields = found.iter().filter(|(only, _)| only.element == Element::Field).map(|(only, _)| only.clone());
        let fields = fields.collect::<Vec<_>>();
        let is_covered = |only: &ExperimentalOnly, field: &ExperimentalOnly| {
            field.version == only.version && field != only && only.path.steps().starts_with(field.path.steps())
        };
        found.retain(|(only, _)| !fields.iter().any(|field| is_covered(only, field)));
        found
    }
}

/// A value of a node, from its text.
fn typed(text: &str, schema: &Schema) -> Value {
    let parsed = (schema.kind.as_deref() != Some("string")).then(|| serde_json::from_str(text).ok());
    parsed.flatten().unwrap_or_else(|| text.into())
}

/// The path with this text in a schema, and the schema at its end.
fn path_in<'s>(text: &str, schema: &'s Schema) -> Option<(SchemaPath, &'s Schema)> {
    let (mut path, mut node) = (SchemaPath::root(), schema);
    for part in text.replace("[*]", ".[*]").split('.').filter(|part| !part.is_empty()) {
        let step = match part {
            "[*]" if node.items.is_some() => Step::Item,
            "[*]" => Step::Value,
            name => Step::Field(name),
        };
        node = step.below(node)?;
        path = path.with(step.owned());
    }
    Some((path, node))
}

/// The values at a path of an object, such as `spec.parentRefs[*]`.
pub fn values<'v>(object: &'v Value, path: &str) -> Vec<&'v Value> {
    let mut values = vec![object];
    for part in path.replace("[*]", ".[*]").split('.').filter(|part| !part.is_empty()) {
        values = match part {
            "[*]" => values.into_iter().filter_map(Value::as_array).flatten().collect(),
            name => values.into_iter().filter_map(|value| value.get(name)).collect(),
        };
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(path: &str, value: Option<&str>, features: &[&str]) -> FeatureElement {
        FeatureElement {
            crd: "widgets.example.com".to_owned(),
            path: path.to_owned(),
            value: value.map(str::to_owned),
            versions: vec!["v1".to_owned()],
            features: features.iter().map(|&feature| feature.to_owned()).collect(),
        }
    }

    fn crd() -> CustomResourceDefinition {
        let text = || json!({"type": "string"});
        let filter = json!({"type": "object", "properties": {"cors": text()}});
        let spec = json!({"type": "object", "properties": {
            "code": {"type": "integer"}, "text": text(),
            "filters": {"type": "array", "items": filter},
            "map": {"type": "object", "additionalProperties": text()},
        }});
        let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}});
        let names = json!({"kind": "Widget", "plural": "widgets"});
        let version = json!({"name": "v1", "served": true, "storage": true, "schema": schema});
        let spec = json!({"group": "example.com", "names": names, "scope": "Namespaced", "versions": [version]});
        CustomResourceDefinition::from_value(&json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "widgets.example.com"}, "spec": spec,
        }))
        .unwrap()
    }

    fn unsupported(elements: &[FeatureElement], supported: &[&str]) -> Vec<String> {
        let supported = supported.iter().map(|&feature| feature.to_owned()).collect();
        let features = Features::new("test", "example.com", None, elements.to_vec());
        let found = features.unsupported(&crd(), &supported).into_iter();
        found
            .map(|(only, features)| format!("{} {:?} {}", only.path.text(), only.element, features.join("|")))
            .collect()
    }

    #[test]
    fn one_feature_is_enough_and_unknown_paths_are_left_out() {
        let elements = [
            element("spec.text", None, &["A", "B"]),
            element("spec.code", Some("303"), &["C"]),
            element("spec.text", Some("303"), &["C"]),
            element("spec.map[*]", Some(""), &["D"]),
            element("spec.experimental", None, &["E"]),
        ];
        assert_eq!(
            unsupported(&elements, &["B", "X"]),
            ["spec.code Values([Number(303)]) C", r#"spec.text Values([String("303")]) C"#, "spec.map[*] Empty D"]
        );
        assert_eq!(unsupported(&elements, &["A", "C", "D"]), Vec::<String>::new());
    }

    #[test]
    fn a_resource_or_field_that_is_unsupported_covers_what_is_below_it() {
        let below = [element("spec.filters", None, &["F"]), element("spec.filters[*].cors", None, &["Cors"])];
        assert_eq!(unsupported(&below, &[]), ["spec.filters Field F"]);
        assert_eq!(unsupported(&below, &["F"]), ["spec.filters[*].cors Field Cors"]);
        assert_eq!(unsupported(&below, &["Cors"]), ["spec.filters Field F"]);
        let shared = [element("spec.filters", None, &["F", "G"]), element("spec.filters[*].cors", None, &["F", "New"])];
        assert_eq!(unsupported(&shared, &["New"]), Vec::<String>::new());
        let whole = [element("spec.text", None, &["T"]), element("", None, &["Widget"])];
        assert_eq!(unsupported(&whole, &[]), [" Resource Widget"]);
    }

    #[test]
    fn what_is_written_reads_back() {
        let [from, path, to] = ["from", "spec.refs[*]", "to"].map(str::to_owned);
        let implementations = Implementations {
            class: "classes.example.com".to_owned(),
            features: "status.features[*].name".to_owned(),
            controller: None,
            references: vec![Reference { from, path, to: vec![to] }],
        };
        let elements = vec![element("", None, &["A"]), element("spec.a", Some("x"), &["B", "C"])];
        let features = Features::new("crd-channels", "example.com", Some(implementations), elements);
        assert_eq!(Features::from_json(&features.to_json()), Ok(features.clone()));
        let newer = features.to_json().replace("\"schemaVersion\": 1", "\"schemaVersion\": 2");
        assert_eq!(Features::from_json(&newer).unwrap_err(), "its `schemaVersion` is 2, and this program reads 1");
    }

    #[test]
    fn values_are_those_of_every_item() {
        let object = json!({"spec": {"refs": [{"name": "a"}, {"name": "b"}, {}], "name": "c"}});
        assert_eq!(values(&object, "spec.refs[*].name"), ["a", "b"]);
        assert_eq!(values(&object, "spec.name"), ["c"]);
        assert_eq!(values(&object, "spec.name[*]"), Vec::<&Value>::new());
    }
}
