//! The fields, values, versions and resources that only the experimental channel has, derived from the two bundles.
//!
//! Invariants: the list is derived, never written by hand. One walk over the schemas finds all entries, and with an object the entries that the
//! object uses, so the two cannot disagree.

use std::collections::BTreeSet;

use crd_model::CustomResourceDefinition;
use crd_model::schema::Step;
use crd_model::schema::{AdditionalProperties, Schema};
use serde_json::Value;

use crate::documents::VersionedKind;

/// An entry that only experimental has in a version of a resource.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Only {
    pub(crate) element: Element,
    pub(crate) path: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Element {
    /// The resource.
    Resource,
    /// The version, served.
    Version,
    /// A field of an object that standard has: standard drops the field with its content.
    Field,
    /// A field inside an experimental node.
    InnerField,
    /// A value (as JSON) of an enum that standard has without this value: standard refuses it.
    Value(String),
    /// A value (as JSON) of an enum inside an experimental node.
    InnerValue(String),
}

impl Only {
    /// `spec.rules[*].retry`, `spec.rules[*].filters[*].type="ExternalAuth"`
    pub(crate) fn name(&self) -> String {
        let mut name = String::new();
        for step in &self.path {
            match step {
                Step::Field(property) if name.is_empty() => name.push_str(property),
                Step::Field(property) => name.extend([".", property]),
                Step::Item => name.push_str("[*]"),
                Step::Value => name.push_str("{*}"),
            }
        }
        match &self.element {
            Element::Field | Element::InnerField => name,
            Element::Value(value) | Element::InnerValue(value) => format!("{name}={value}"),
            Element::Resource => "the resource".to_owned(),
            Element::Version => "the version".to_owned(),
        }
    }
}

/// An entry that an object uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Use {
    pub(crate) only: Only,
    /// The path in the object, in the server's notation: `spec.rules[0].retry`.
    pub(crate) path_text: String,
    /// The path in the object, as a JSON pointer: `/spec/rules/0/retry`.
    pub(crate) pointer: String,
}

/// The node of standard at the path of an experimental node.
#[derive(Clone, Copy)]
enum StandardNode<'s> {
    Node(&'s Schema),
    /// No node, because standard has no parent node either.
    Nothing,
}

impl<'s> StandardNode<'s> {
    fn below(self, next: impl FnOnce(&'s Schema) -> Option<&'s Schema>) -> StandardNode<'s> {
        match self {
            StandardNode::Node(schema) => next(schema).map_or(StandardNode::Nothing, StandardNode::Node),
            StandardNode::Nothing => StandardNode::Nothing,
        }
    }
}

struct Walk<'u> {
    path: Vec<Step>,
    path_text: String,
    pointer: String,
    uses: &'u mut Vec<Use>,
}

impl Walk<'_> {
    fn report(&mut self, element: Element) {
        let only = Only { element, path: self.path.clone() };
        self.uses.push(Use { only, path_text: self.path_text.clone(), pointer: self.pointer.clone() });
    }

    fn below(&mut self, step: Step, path_text: &str, pointer: &str, visit: impl FnOnce(&mut Self)) {
        let lengths = (self.path_text.len(), self.pointer.len());
        self.path.push(step);
        self.path_text.push_str(path_text);
        self.pointer.extend(["/", &pointer.replace('~', "~0").replace('/', "~1")]);
        visit(self);
        self.path.pop();
        self.path_text.truncate(lengths.0);
        self.pointer.truncate(lengths.1);
    }

    /// Without a value: all entries of the schema.
    fn node(&mut self, standard: StandardNode<'_>, experimental: &Schema, value: Option<&Value>) {
        for choice in experimental.enumeration.iter().flatten() {
            if value.is_some_and(|value| value != choice) {
                continue;
            }
            match standard {
                StandardNode::Nothing => self.report(Element::InnerValue(choice.to_string())),
                StandardNode::Node(known)
                    if known.enumeration.as_ref().is_some_and(|known| !known.contains(choice)) =>
                {
                    self.report(Element::Value(choice.to_string()));
                }
                StandardNode::Node(_) => {}
            }
        }
        for (name, property) in &experimental.properties {
            let inner = value.and_then(|value| value.get(&**name));
            // Every object has these fields.
            let is_common = self.path.is_empty() && ["apiVersion", "kind", "metadata"].contains(&&**name);
            if is_common || (value.is_some() && inner.is_none()) {
                continue;
            }
            let path_text = if self.path_text.is_empty() { name.to_string() } else { format!(".{name}") };
            self.below(Step::Field(name.to_string()), &path_text, name, |walk| {
                let below = standard.below(|standard| standard.properties.get(name));
                match (standard, below) {
                    (StandardNode::Node(_), StandardNode::Nothing) => walk.report(Element::Field),
                    (StandardNode::Nothing, _) => walk.report(Element::InnerField),
                    (StandardNode::Node(_), StandardNode::Node(_)) => {}
                }
                walk.node(below, property, inner);
            });
        }
        if let Some(items) = &experimental.items {
            let below = standard.below(|standard| standard.items.as_deref());
            match value {
                None => self.below(Step::Item, "[*]", "*", |walk| walk.node(below, items, None)),
                Some(value) => {
                    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                        let index = index.to_string();
                        self.below(Step::Item, &format!("[{index}]"), &index, |walk| {
                            walk.node(below, items, Some(item));
                        });
                    }
                }
            }
        }
        if let Some(AdditionalProperties::Values(values)) = &experimental.additional_properties {
            let below = standard.below(|standard| match &standard.additional_properties {
                Some(AdditionalProperties::Values(values)) => Some(values),
                _ => None,
            });
            match value {
                None => self.below(Step::Value, "{*}", "*", |walk| walk.node(below, values, None)),
                Some(value) => {
                    for (key, entry) in value.as_object().into_iter().flatten() {
                        self.below(Step::Value, &format!(".{key}"), key, |walk| walk.node(below, values, Some(entry)));
                    }
                }
            }
        }
    }
}

/// A version of a resource in both channels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<'c> {
    /// The version in experimental.
    pub(crate) crd: &'c CustomResourceDefinition,
    /// The version in experimental.
    pub(crate) version: &'c crd_model::crd::Version,
    /// The version in standard, served or not.
    pub(crate) standard: Option<&'c crd_model::crd::Version>,
    is_new_resource: bool,
}

impl<'c> Pair<'c> {
    /// Every version that experimental serves.
    pub(crate) fn all(
        standard: &'c [CustomResourceDefinition],
        experimental: &'c [CustomResourceDefinition],
    ) -> Vec<Pair<'c>> {
        let mut pairs = Vec::new();
        for crd in experimental {
            let standard_crd = standard.iter().find(|known| known.name == crd.name);
            for version in crd.versions.iter().filter(|version| version.served) {
                let standard =
                    standard_crd.and_then(|crd| crd.versions.iter().find(|known| known.name == version.name));
                pairs.push(Pair { crd, version, standard, is_new_resource: standard_crd.is_none() });
            }
        }
        pairs
    }

    /// For messages: `gateway.networking.k8s.io/v1 Gateway`.
    pub(crate) fn name(&self) -> String {
        format!("{}/{} {}", self.crd.group, self.version.name, self.crd.names.kind)
    }

    /// Whether standard accepts objects of this version.
    pub(crate) fn is_in_standard(&self) -> bool {
        self.standard.is_some_and(|standard| standard.served)
    }

    fn walk(&self, object: Option<&Value>) -> Vec<Use> {
        let mut uses = Vec::new();
        let mut walk = Walk { path: Vec::new(), path_text: String::new(), pointer: String::new(), uses: &mut uses };
        if self.is_new_resource {
            walk.report(Element::Resource);
        }
        if !self.is_in_standard() {
            walk.report(Element::Version);
        }
        let standard = self.standard.map_or(StandardNode::Nothing, |standard| StandardNode::Node(&standard.schema));
        walk.node(standard, &self.version.schema, object);
        uses
    }

    /// All experimental entries of this version.
    pub(crate) fn everything(&self) -> BTreeSet<Only> {
        self.walk(None).into_iter().map(|found| found.only).collect()
    }

    /// The experimental entries that an object of this version uses.
    pub(crate) fn used_by(&self, object: &Value) -> Vec<Use> {
        self.walk(Some(object))
    }
}

impl Pair<'static> {
    /// The version in experimental, with its paths on a server.
    pub(crate) fn versioned(&self) -> VersionedKind {
        VersionedKind { crd: self.crd, version: self.version }
    }
}
