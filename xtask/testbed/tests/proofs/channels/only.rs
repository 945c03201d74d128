//! What only the experimental channel has: derived from the two bundles.
//!
//! Invariants: the list is derived, never written by hand. One walk finds both what there is (over schemas alone) and what an object uses of
//! it (over the object too), so that these cannot be two opinions.

use std::collections::{BTreeMap, BTreeSet};

use crd_model::CustomResourceDefinition;
use crd_model::schema::{AdditionalProperties, Schema};
use serde_json::Value;

/// A step from a node to one below it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    Property(String),
    /// An item of a list.
    Item,
    /// A value of a map.
    Entry,
}

/// Something that only experimental has in a version of a resource.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Only {
    pub(crate) what: What,
    pub(crate) path: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum What {
    /// The resource.
    Resource,
    /// The version, served.
    Version,
    /// A field beside fields that standard has: what standard loses, with all that is in it.
    Field,
    /// A field inside of something that only experimental has.
    InnerField,
    /// A value of an enum that standard has, without this value (as JSON): what standard refuses.
    Value(String),
    /// A value of an enum inside of something that only experimental has (as JSON).
    InnerValue(String),
}

impl Only {
    /// `spec.rules[*].retry`, `spec.rules[*].filters[*].type="ExternalAuth"`
    pub(crate) fn name(&self) -> String {
        let mut name = String::new();
        for step in &self.path {
            match step {
                Step::Property(property) if name.is_empty() => name.push_str(property),
                Step::Property(property) => name.extend([".", property]),
                Step::Item => name.push_str("[*]"),
                Step::Entry => name.push_str("{*}"),
            }
        }
        match &self.what {
            What::Field | What::InnerField => name,
            What::Value(value) | What::InnerValue(value) => format!("{name}={value}"),
            What::Resource => "the resource".to_owned(),
            What::Version => "the version".to_owned(),
        }
    }
}

/// Something of it that an object uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Use {
    pub(crate) only: Only,
    /// Where in the object, as a server writes it: `spec.rules[0].retry`.
    pub(crate) place: String,
    /// Where in the object, as `serde_json` reads it: `/spec/rules/0/retry`.
    pub(crate) pointer: String,
}

/// What standard has where experimental has a node.
#[derive(Clone, Copy)]
enum Beside<'s> {
    Node(&'s Schema),
    /// Nothing, since standard has nothing above either.
    Nothing,
}

impl<'s> Beside<'s> {
    fn below(self, next: impl FnOnce(&'s Schema) -> Option<&'s Schema>) -> Beside<'s> {
        match self {
            Beside::Node(schema) => next(schema).map_or(Beside::Nothing, Beside::Node),
            Beside::Nothing => Beside::Nothing,
        }
    }
}

struct Walk<'u> {
    path: Vec<Step>,
    place: String,
    pointer: String,
    uses: &'u mut Vec<Use>,
}

impl Walk<'_> {
    fn report(&mut self, what: What) {
        let only = Only { what, path: self.path.clone() };
        self.uses.push(Use { only, place: self.place.clone(), pointer: self.pointer.clone() });
    }

    fn below(&mut self, step: Step, place: &str, pointer: &str, visit: impl FnOnce(&mut Self)) {
        let lengths = (self.place.len(), self.pointer.len());
        self.path.push(step);
        self.place.push_str(place);
        self.pointer.extend(["/", &pointer.replace('~', "~0").replace('/', "~1")]);
        visit(self);
        self.path.pop();
        self.place.truncate(lengths.0);
        self.pointer.truncate(lengths.1);
    }

    /// Without a value: everything that there may be.
    fn node(&mut self, standard: Beside<'_>, experimental: &Schema, value: Option<&Value>) {
        for choice in experimental.enumeration.iter().flatten() {
            if value.is_some_and(|value| value != choice) {
                continue;
            }
            match standard {
                Beside::Nothing => self.report(What::InnerValue(choice.to_string())),
                Beside::Node(known) if known.enumeration.as_ref().is_some_and(|known| !known.contains(choice)) => {
                    self.report(What::Value(choice.to_string()));
                }
                Beside::Node(_) => {}
            }
        }
        for (name, property) in &experimental.properties {
            let inner = value.and_then(|value| value.get(&**name));
            // What every object has is no news.
            let is_common = self.path.is_empty() && ["apiVersion", "kind", "metadata"].contains(&&**name);
            if is_common || (value.is_some() && inner.is_none()) {
                continue;
            }
            let place = if self.place.is_empty() { name.to_string() } else { format!(".{name}") };
            self.below(Step::Property(name.to_string()), &place, name, |walk| {
                let below = standard.below(|standard| standard.properties.get(name));
                match (standard, below) {
                    (Beside::Node(_), Beside::Nothing) => walk.report(What::Field),
                    (Beside::Nothing, _) => walk.report(What::InnerField),
                    (Beside::Node(_), Beside::Node(_)) => {}
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
                None => self.below(Step::Entry, "{*}", "*", |walk| walk.node(below, values, None)),
                Some(value) => {
                    for (key, entry) in value.as_object().into_iter().flatten() {
                        self.below(Step::Entry, &format!(".{key}"), key, |walk| walk.node(below, values, Some(entry)));
                    }
                }
            }
        }
    }
}

/// A version of a resource in both channels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<'c> {
    /// In experimental.
    pub(crate) crd: &'c CustomResourceDefinition,
    /// In experimental.
    pub(crate) version: &'c crd_model::crd::Version,
    /// In standard, served or not.
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
            let beside = standard.iter().find(|known| known.name == crd.name);
            for version in crd.versions.iter().filter(|version| version.served) {
                let standard = beside.and_then(|crd| crd.versions.iter().find(|known| known.name == version.name));
                pairs.push(Pair { crd, version, standard, is_new_resource: beside.is_none() });
            }
        }
        pairs
    }

    /// For messages: `gateway.networking.k8s.io/v1 Gateway`.
    pub(crate) fn name(&self) -> String {
        format!("{}/{} {}", self.crd.group, self.version.name, self.crd.names.kind)
    }

    /// Whether standard takes objects of this version.
    pub(crate) fn is_in_standard(&self) -> bool {
        self.standard.is_some_and(|standard| standard.served)
    }

    fn walk(&self, object: Option<&Value>) -> Vec<Use> {
        let mut uses = Vec::new();
        let mut walk = Walk { path: Vec::new(), place: String::new(), pointer: String::new(), uses: &mut uses };
        if self.is_new_resource {
            walk.report(What::Resource);
        }
        if !self.is_in_standard() {
            walk.report(What::Version);
        }
        let standard = self.standard.map_or(Beside::Nothing, |standard| Beside::Node(&standard.schema));
        walk.node(standard, &self.version.schema, object);
        uses
    }

    /// Everything that only experimental has in this version.
    pub(crate) fn everything(&self) -> BTreeSet<Only> {
        self.walk(None).into_iter().map(|found| found.only).collect()
    }

    /// What an object of this version uses of it.
    pub(crate) fn used_by(&self, object: &Value) -> Vec<Use> {
        self.walk(Some(object))
    }
}

/// How many things of each kind: for messages.
pub(crate) fn counted<'o>(things: impl IntoIterator<Item = &'o Only>) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for only in things {
        let kind = match only.what {
            What::Resource => "resources",
            What::Version => "versions",
            What::Field => "fields",
            What::InnerField => "fields inside",
            What::Value(_) => "enum values",
            What::InnerValue(_) => "enum values inside",
        };
        *counts.entry(kind).or_default() += 1;
    }
    counts
}
