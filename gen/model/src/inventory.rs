//! What CRDs have: each resource, API version, field, enum value, CEL rule and constraint.
//!
//! | view | has |
//! |---|---|
//! | tombstones | resources, all API versions, fields and values: the names on the wire |
//! | graduation | every kind, of API versions only the served ones |
//! | experimental elements of `crd_stamps` | of two CRDs the outermost resources, versions, fields and values that one of them lacks, with the values of an enum together |
//! | overlap of channels on the site | resources, fields, values and rules |
//! | coverage of suites (`crd_suite`) | rules, values, and constraints and defaults as declarations: also those of branches, and equal ones once |
//! | marks (`crd_generate`) | what Rust types mark, which is not yet a schema |
//!
//! Invariants: an element is one thing in all API versions of its resource. What is in branches (`allOf`, `anyOf`, `oneOf`, `not`) is
//! not listed. Elements are ordered by resource, path and kind.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value;

use crate::CustomResourceDefinition;
use crate::crd::Version;
use crate::path::{Part, parts};
use crate::schema::path::{Step, is_below, text};
use crate::schema::{Keyword, Role, Schema, walk};
use crate::words;

words! {
    /// What an element is.
    pub enum Kind {
        /// A CRD.
        Resource = "resource",
        /// An API version of a CRD.
        Version = "version",
        /// A field.
        Field = "field",
        /// A value of an enum.
        Value = "value",
        /// A CEL rule.
        Rule = "rule",
        /// A keyword of a schema, such as a pattern.
        Constraint = "constraint",
    }
}

impl Kind {
    /// The kinds that are names on the wire.
    pub const NAMES: [Self; 4] = [Self::Resource, Self::Version, Self::Field, Self::Value];
}

/// One thing that a CRD has.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Element {
    /// The name of the CRD: `httproutes.gateway.networking.k8s.io`.
    pub crd: String,
    /// The schema path of the field, or of the node with the value, rule or constraint: `spec.rules[*].retry`; empty otherwise.
    pub path: String,
    /// What it is.
    pub kind: Kind,
    /// The name of the version, the last name of the path of a field, the value as JSON (without quotes if it is a text), the CEL rule,
    /// or the keyword with its value; empty for the CRD itself.
    pub name: String,
}

impl Element {
    /// An element at a place: the path of the struct for a field, that of the node for a value, rule or constraint; empty otherwise.
    pub fn at(crd: &str, kind: Kind, place: &str, name: impl Into<String>) -> Self {
        let name = name.into();
        let path = match kind {
            Kind::Field => Step::Field(&name).path_from(place),
            _ => place.to_owned(),
        };
        Self { crd: crd.to_owned(), path, kind, name }
    }

    /// An element as files and arguments write it. Where the place of a field ends and its name begins does not matter: the name may be
    /// the end of a path. A name with characters of paths is written as in a path.
    pub fn written(crd: &str, kind: Kind, place: &str, name: &str) -> Self {
        let dot = if place.is_empty() || name.starts_with('[') { "" } else { "." };
        let whole = format!("{place}{dot}{name}");
        let steps = parts(&whole).map(|part| match part.ok()?.1 {
            Part::Name(name) => Some(Step::Field(name.into_owned())),
            Part::Sign(sign) => (sign == "[*]").then_some(Step::Item),
        });
        let steps = steps.collect::<Option<Vec<_>>>().unwrap_or_default();
        match (kind, steps.split_last()) {
            (Kind::Field, Some((Step::Field(name), above))) => Self::at(crd, kind, &text(above), name),
            _ => Self::at(crd, kind, place, name),
        }
    }

    /// The name as files and arguments write it: see [`Self::written`].
    pub fn written_name(&self) -> String {
        match self.kind {
            Kind::Field if !self.name.is_empty() => text(&[Step::Field(&self.name)]),
            _ => self.name.clone(),
        }
    }

    /// A CRD.
    pub fn resource(crd: &str) -> Self {
        Self::at(crd, Kind::Resource, "", "")
    }

    /// Where it is: the path of the struct for a field, that of the node otherwise.
    pub fn place(&self) -> &str {
        let struct_path = self.path.strip_suffix(&self.written_name()).filter(|_| self.kind == Kind::Field);
        struct_path.map_or(&self.path, |path| path.strip_suffix('.').unwrap_or(path))
    }

    /// Whether both are the same. Where the place of a field ends and its name begins does not matter.
    pub fn is_same(&self, other: &Self) -> bool {
        let is_field = self.kind == Kind::Field;
        (&self.crd, &self.path, self.kind) == (&other.crd, &other.path, other.kind)
            && (is_field || self.name == other.name)
    }

    /// Whether a schema path is that of this resource or field, or below it.
    pub fn contains(&self, path: &str) -> bool {
        match self.kind {
            Kind::Resource => true,
            Kind::Field => is_below(path, &self.path),
            Kind::Version | Kind::Value | Kind::Rule | Kind::Constraint => false,
        }
    }

    /// Whether another element is this one or below it.
    pub fn covers(&self, other: &Self) -> bool {
        self.is_same(other) || self.crd == other.crd && self.contains(&other.path)
    }
}

impl fmt::Display for Element {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { crd, path, kind, name } = self;
        match kind {
            Kind::Resource => write!(formatter, "resource {crd}"),
            Kind::Version => write!(formatter, "version {name} of {crd}"),
            Kind::Field => write!(formatter, "field {path} of {crd}"),
            Kind::Value | Kind::Rule | Kind::Constraint => {
                write!(formatter, "{} {name} at {path} of {crd}", kind.word())
            }
        }
    }
}

/// The elements of CRDs, each once.
#[derive(Clone, Debug, Default)]
pub struct Inventory(BTreeSet<Element>);

impl Inventory {
    /// The names on the wire of CRDs, over all of their API versions.
    pub fn names<'c>(crds: impl IntoIterator<Item = &'c CustomResourceDefinition>) -> Self {
        let mut found = Self::default();
        crds.into_iter().for_each(|crd| found.add(crd, |_, kind| Kind::NAMES.contains(&kind)));
        found
    }

    /// Every element of a CRD. An API version that is not served is not one, and what it has is.
    pub fn of(crd: &CustomResourceDefinition) -> Self {
        let mut found = Self::default();
        found.add(crd, |version, kind| kind != Kind::Version || version.served);
        found
    }

    fn add(&mut self, crd: &CustomResourceDefinition, is_listed: impl Fn(&Version, Kind) -> bool) {
        let name = &*crd.name;
        self.0.insert(Element::resource(name));
        for version in &crd.versions {
            let is_listed = |kind: &Kind| is_listed(version, *kind);
            self.0.extend(is_listed(&Kind::Version).then(|| Element::at(name, Kind::Version, "", &*version.name)));
            let of_nodes =
                [Kind::Value, Kind::Rule, Kind::Constraint].into_iter().filter(is_listed).collect::<Vec<_>>();
            walk(&version.schema, &mut |steps, node| {
                let path = text(steps);
                for kind in &of_nodes {
                    self.0.extend(declared(node, *kind).into_iter().map(|text| Element::at(name, *kind, &path, text)));
                }
                if let Some(Step::Field(field)) = steps.last() {
                    self.0.insert(Element { crd: name.to_owned(), path, kind: Kind::Field, name: (*field).to_owned() });
                }
            });
        }
    }

    /// Whether it is one of them: see [`Element::is_same`].
    pub fn has(&self, element: &Element) -> bool {
        match element.kind {
            Kind::Field => {
                let first = Element { name: String::new(), ..element.clone() };
                self.0.range(first..).next().is_some_and(|found| found.is_same(element))
            }
            _ => self.0.contains(element),
        }
    }

    /// The elements.
    pub fn iter(&self) -> impl Iterator<Item = &Element> {
        self.0.iter()
    }
}

/// The names of the values, rules or constraints of a node.
pub fn declared(node: &Schema, kind: Kind) -> Vec<String> {
    match kind {
        Kind::Value => node.enumeration.iter().flatten().map(value_name).collect(),
        Kind::Rule => node.validations.iter().map(|validation| validation.rule.to_string()).collect(),
        Kind::Constraint => constraints(node),
        Kind::Resource | Kind::Version | Kind::Field => Vec::new(),
    }
}

/// A value as an element names it.
pub fn value_name(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The keywords of a node that limit or complete its values, each with its value: `pattern "^a$"`.
fn constraints(schema: &Schema) -> Vec<String> {
    let is_constraint = |keyword: &Keyword| match keyword.role() {
        // Each value of an `enum`, and each name of `required`, counts by itself.
        Role::Limit => !matches!(keyword, Keyword::Enum | Keyword::Required),
        Role::Content => matches!(keyword, Keyword::Default | Keyword::Nullable),
        Role::Text | Role::Type | Role::Structure | Role::Branch | Role::Rule | Role::Merge => false,
    };
    let stated = Keyword::ALL.iter().filter(|keyword| is_constraint(keyword));
    let stated = stated.filter_map(|keyword| Some(format!("{} {}", keyword.name(), schema.value(*keyword)?)));
    let mut found = stated.collect::<Vec<_>>();
    if schema.enumeration.is_none() && schema.kind.as_deref() == Some("string") {
        // One channel may accept every text where another one has an enum.
        found.push("enum absent".to_owned());
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn crd() -> CustomResourceDefinition {
        let schema = json!({ "type": "object", "properties": { "spec": {
            "type": "object",
            "properties": {
                "modes": { "type": "array", "maxItems": 3, "items": { "type": "string", "enum": ["A", "B"] } },
                "map": { "type": "object", "additionalProperties": { "properties": { "x.y": { "enum": [1] } } } },
            },
            "x-kubernetes-validations": [{ "rule": "has(self.modes)" }],
            "anyOf": [{ "properties": { "map": { "maxProperties": 1 } } }],
        } } });
        let version = |name: &str, served: bool, schema: serde_json::Value| json!({ "name": name, "served": served, "storage": served, "schema": { "openAPIV3Schema": schema } });
        let versions = [version("v1", true, schema), version("v0", false, json!({ "type": "object" }))];
        let names = json!({ "kind": "Test", "plural": "tests" });
        let spec = json!({ "group": "a.b", "names": names, "scope": "Namespaced", "versions": versions });
        CustomResourceDefinition::from_value(&json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": { "name": "tests.a.b" }, "spec": spec,
        }))
        .unwrap()
    }

    #[test]
    fn each_element_is_listed_once() {
        let lines = |inventory: &Inventory| {
            inventory.iter().map(|of| of.to_string().replace(" of tests.a.b", "")).collect::<Vec<_>>()
        };
        let names = [
            "resource tests.a.b",
            "version v0",
            "version v1",
            "field spec",
            "field spec.map",
            "field spec.map[*][\"x.y\"]",
            "value 1 at spec.map[*][\"x.y\"]",
            "field spec.modes",
            "value A at spec.modes[*]",
            "value B at spec.modes[*]",
        ];
        assert_eq!(lines(&Inventory::names([&crd()])), names);
        let all = lines(&Inventory::of(&crd()));
        let more = all.iter().filter(|line| !names.contains(&&***line)).collect::<Vec<_>>();
        assert_eq!(more, ["rule has(self.modes) at spec", "constraint maxItems 3 at spec.modes"]);
        assert!(!all.contains(&"version v0".to_owned()));
    }

    #[test]
    fn a_field_is_the_same_wherever_its_place_ends() {
        let (field, value) = (
            |place, name: &str| Element::written("tests.a.b", Kind::Field, place, name),
            |place, name: &str| Element::at("tests.a.b", Kind::Value, place, name),
        );
        let modes = field("spec", "modes");
        assert_eq!((modes.place(), &*modes.path), ("spec", "spec.modes"));
        assert_eq!((field("", "spec").place(), field("spec.map[*]", "x.y").place()), ("", "spec.map[*].x"));
        assert!(modes.is_same(&field("", "spec.modes")) && !modes.is_same(&field("", "modes")));
        assert!(!modes.is_same(&value("spec", "modes")) && !value("spec", "a").is_same(&value("", "spec.a")));
        let names = Inventory::names([&crd()]);
        assert!(
            names.has(&modes) && names.has(&field("", "spec.modes")) && names.has(&field("spec.map[*]", "[\"x.y\"]"))
        );
        let odd = field("spec", "[\"x.y\"]");
        assert_eq!((&*odd.path, odd.place(), &*odd.name), ("spec[\"x.y\"]", "spec", "x.y"));
        assert_eq!(odd.written_name(), "[\"x.y\"]");
        assert!(!names.has(&field("spec", "mode")) && !names.has(&field("", "modes")) && !names.has(&field("", "")));
        assert!(names.has(&value("spec.modes[*]", "A")) && !names.has(&value("spec.modes", "A")));
    }

    #[test]
    fn a_resource_or_field_covers_what_is_below_it() {
        let at = |kind, place, name: &str| Element::at("tests.a.b", kind, place, name);
        let spec = at(Kind::Field, "", "spec");
        for below in [at(Kind::Field, "spec", "a"), at(Kind::Value, "spec", "A"), at(Kind::Rule, "spec[*]", "true")] {
            assert!(spec.covers(&below) && Element::resource("tests.a.b").covers(&below), "{below}");
            assert!(!below.covers(&spec) && !Element::resource("b").covers(&below), "{below}");
        }
        assert!(spec.covers(&spec) && !spec.covers(&at(Kind::Field, "", "specs")));
        assert!(!spec.covers(&at(Kind::Version, "", "v1")) && !at(Kind::Version, "", "v1").covers(&spec));
    }
}
