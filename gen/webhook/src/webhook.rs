//! A webhook: a bundle, the rules of its kinds, and the resources that the rules read.

use std::collections::BTreeMap;

use crd_markers::typed::Resource;
use serde::de::DeserializeOwned;

use crate::bundle::Bundle;
use crate::objects::{Objects, Watched, WatchedResource};
use crate::rule::{AnyRules, Described, Rule, apply};

/// The group and the kind of a resource.
pub(crate) type Kind = (String, String);

/// The validating webhook of a bundle.
///
/// Requests for objects of the bundle are answered by the offline validator with the CRDs of the bundle, and by the rules. A rule applies
/// to objects of every API version of its kind, which it reads as its own type.
pub struct Webhook {
    pub(crate) bundle: Bundle,
    pub(crate) rules: BTreeMap<Kind, Vec<(Vec<Described>, AnyRules)>>,
    pub(crate) objects: Objects,
}

impl Webhook {
    /// A webhook without rules: the offline validator, and warnings.
    pub fn new(bundle: Bundle) -> Self {
        Self { bundle, rules: BTreeMap::new(), objects: Objects::default() }
    }

    /// Adds rules about the objects of a type.
    #[must_use]
    pub fn rules<T>(mut self, rules: impl IntoIterator<Item = Rule<T>>) -> Self
    where
        T: Resource + DeserializeOwned + Clone + Send + Sync + 'static,
    {
        let (kind, rules) = (<T as Resource>::KIND, rules.into_iter().collect::<Vec<_>>());
        let described = |rule: &Rule<T>| Described { kind, name: rule.name, about: rule.about, why: rule.why };
        let described = rules.iter().map(described).collect();
        let apply: AnyRules = Box::new(move |request, objects| apply(&rules, T::API_VERSION, request, objects));
        self.rules.entry((T::GROUP.to_owned(), kind.to_owned())).or_default().push((described, apply));
        self
    }

    /// Caches the objects of a resource for the rules. The server needs the right to list and watch them.
    #[must_use]
    pub fn reads<T: Watched>(mut self) -> Self {
        self.objects.watch::<T>();
        self
    }

    /// The resources that are cached, in their order.
    pub fn watched(&self) -> Vec<&WatchedResource> {
        self.objects.shelves().into_iter().map(|(resource, _)| resource).collect()
    }

    /// All rules, by kind.
    pub fn described(&self) -> Vec<Described> {
        self.rules.values().flatten().flat_map(|(described, _)| described).copied().collect()
    }

    /// The bundle.
    pub fn bundle(&self) -> &Bundle {
        &self.bundle
    }
}
