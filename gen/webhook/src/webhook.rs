//! A webhook: a bundle, the rules of its kinds, and the resources that the rules read.

use std::collections::BTreeMap;

use crd_descriptors::typed::Resource;
use serde::de::DeserializeOwned;

use crate::bundle::Bundle;
use crate::objects::{Objects, Watched, WatchedResource};
use crate::rule::{AnyRules, Described, Rule, RulesOf};

/// The group and the kind of a resource.
pub(crate) type Kind = (String, String);

/// The validating webhook of a bundle.
///
/// Requests for objects of the bundle are answered by the offline validator with the CRDs of the bundle, and by the rules. A rule applies
/// to objects of every API version of its kind, which it reads as its own type.
pub struct Webhook {
    pub(crate) bundle: Bundle,
    pub(crate) rules: BTreeMap<Kind, Vec<Box<dyn AnyRules>>>,
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
        let rules = rules.into_iter().collect();
        let of_kind = self.rules.entry((T::GROUP.to_owned(), <T as Resource>::KIND.to_owned())).or_default();
        of_kind.push(Box::new(RulesOf { kind: <T as Resource>::KIND, api_version: T::API_VERSION, rules }));
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
        self.rules.values().flatten().flat_map(|rules| rules.described()).collect()
    }

    /// The bundle.
    pub fn bundle(&self) -> &Bundle {
        &self.bundle
    }
}
