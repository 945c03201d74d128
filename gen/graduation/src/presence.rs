//! Which elements a release has in each channel, and which of them only experimental has.
//!
//! Invariants: an element is present if any API version has it. Of what only experimental has, the outermost elements are listed: below a new field, or in
//! a resource that standard does not have, nothing else is.

use std::collections::{BTreeMap, BTreeSet};

use crd_bundle::Release;
use crd_model::channel::Channel;
use crd_model::{CustomResourceDefinition, Schema};
use crd_stamps::experimental_only::{self, ExperimentalOnly, experimental_only};
use serde_json::Value;

use crate::element::{Element, Kind};

/// The elements of a channel, each with the API versions that have it.
#[derive(Clone, Debug, Default)]
pub struct Presence(BTreeMap<Element, BTreeSet<String>>);

impl Presence {
    /// The elements of a CRD.
    pub fn of(crd: &CustomResourceDefinition) -> Self {
        let mut found = Self::default();
        let name = &*crd.name;
        for version in &crd.versions {
            let mut add = |element: Element| {
                found.0.entry(element).or_default().insert(version.name.to_string());
            };
            add(Element::resource(name));
            if version.served {
                add(Element::version(name, &version.name));
            }
            nodes(&version.schema, &mut String::new(), &mut |path, schema| {
                if !path.is_empty() && !path.ends_with("[*]") {
                    add(Element::field(name, path));
                }
                let values = schema.enumeration.iter().flatten();
                values.for_each(|value| add(Element::of_node(name, path, Kind::Value, text(value))));
                rules(schema).for_each(|rule| add(Element::of_node(name, path, Kind::Rule, rule)));
                for constraint in constraints(schema) {
                    add(Element::of_node(name, path, Kind::Constraint, constraint));
                }
            });
        }
        found
    }

    /// Whether the element is present.
    pub fn has(&self, element: &Element) -> bool {
        self.0.contains_key(element)
    }

    /// The elements.
    pub fn elements(&self) -> impl Iterator<Item = &Element> {
        self.0.keys()
    }
}

/// A value as an element names it.
fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn rules(schema: &Schema) -> impl Iterator<Item = &str> {
    schema.validations.iter().map(|validation| &*validation.rule)
}

/// The keywords of a node that limit or complete its values, each with its value: `pattern "^a$"`.
fn constraints(schema: &Schema) -> Vec<String> {
    let mut found = Vec::new();
    let mut add = |keyword: &str, value: Option<Value>| found.extend(value.map(|value| format!("{keyword} {value}")));
    let number = |number: Option<i64>| number.map(Value::from);
    let flag = |is_set: bool| is_set.then_some(Value::Bool(true));
    add("default", schema.default.clone());
    add("exclusiveMaximum", flag(schema.exclusive_maximum));
    add("exclusiveMinimum", flag(schema.exclusive_minimum));
    add("format", schema.format.as_deref().map(Value::from));
    add("maxItems", number(schema.max_items));
    add("maxLength", number(schema.max_length));
    add("maxProperties", number(schema.max_properties));
    add("maximum", schema.maximum.clone().map(Value::Number));
    add("minItems", number(schema.min_items));
    add("minLength", number(schema.min_length));
    add("minProperties", number(schema.min_properties));
    add("minimum", schema.minimum.clone().map(Value::Number));
    add("multipleOf", schema.multiple_of.clone().map(Value::Number));
    add("nullable", flag(schema.nullable));
    add("pattern", schema.pattern.as_deref().map(Value::from));
    if schema.enumeration.is_none() && schema.kind.as_deref() == Some("string") {
        // Experimental may accept every text where standard has an enum.
        found.push("enum absent".to_owned());
    }
    found
}

/// Calls `add` for every node with its path, each path once.
fn nodes<'s>(schema: &'s Schema, path: &mut String, add: &mut dyn FnMut(&str, &'s Schema)) {
    add(path, schema);
    let length = path.len();
    for (name, property) in &schema.properties {
        if length > 0 {
            path.push('.');
        }
        path.push_str(name);
        nodes(property, path, add);
        path.truncate(length);
    }
    for inner in schema.items.as_deref().into_iter().chain(schema.values()) {
        path.push_str("[*]");
        nodes(inner, path, add);
        path.truncate(length);
    }
}

/// What only experimental has in a release, with the API versions that have it there.
pub fn only_experimental(release: &Release) -> BTreeMap<Element, BTreeSet<String>> {
    let mut found: BTreeMap<Element, BTreeSet<String>> = BTreeMap::new();
    for crd in release.of_channel(Channel::Experimental) {
        let name = &*crd.name;
        let standard = release.crd(Channel::Standard, name);
        let mut add = |element: Element, version: &str| {
            found.entry(element).or_default().insert(version.to_owned());
        };
        for ExperimentalOnly { version, path, element } in experimental_only(standard, crd) {
            let (path, version) = (path.text(), version.unwrap_or_default());
            let mut add_value = |value: &Value| add(Element::of_node(name, &path, Kind::Value, text(value)), &version);
            match element {
                experimental_only::Element::Resource => {
                    crd.versions.iter().for_each(|version| add(Element::resource(name), &version.name));
                }
                experimental_only::Element::Version { .. } => add(Element::version(name, &version), &version),
                experimental_only::Element::Field => add(Element::field(name, &path), &version),
                experimental_only::Element::Values(values) => values.iter().for_each(&mut add_value),
                // A constraint, below.
                experimental_only::Element::ValuesExcept(_) | experimental_only::Element::Empty => {}
            }
        }
        for version in &crd.versions {
            let known = standard.and_then(|crd| crd.versions.iter().find(|known| known.name == version.name));
            let Some(known) = known else { continue };
            let mut standard = BTreeMap::new();
            nodes(&known.schema, &mut String::new(), &mut |path, schema| {
                standard.insert(path.to_owned(), schema);
            });
            nodes(&version.schema, &mut String::new(), &mut |path, schema| {
                let Some(known) = standard.get(path).filter(|known| **known != schema) else { return };
                for rule in rules(schema).filter(|rule| rules(known).all(|known| known != *rule)) {
                    add(Element::of_node(name, path, Kind::Rule, rule), &version.name);
                }
                let known = constraints(known);
                for constraint in constraints(schema).into_iter().filter(|constraint| !known.contains(constraint)) {
                    add(Element::of_node(name, path, Kind::Constraint, constraint), &version.name);
                }
            });
        }
    }
    found
}
