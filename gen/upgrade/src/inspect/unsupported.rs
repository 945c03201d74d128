//! Fields in use that the implementation of an object does not support.
//!
//! Invariants: an object has the classes that its references lead to, through any number of parents; cycles end. What leads to an object that does not exist, or
//! to a kind that is not declared, is unknown, and no finding is made of it. Only classes and parents are kept, not the objects that nothing refers to.

use std::collections::{BTreeMap, BTreeSet};

use crd_cluster::{Cluster, InstalledCrd, Object};
use crd_diagnostics::Diagnostic;
use crd_model::CustomResourceDefinition;
use crd_model::crd::Scope;
use crd_stamps::features::{Features, Implementations, Reference, Unsupported, values};
use crd_stamps::uses::Usable;
use serde::Serialize;
use serde_json::Value;

use crate::inspect::codes;

/// A class: the object that represents an implementation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClassReport {
    /// Its name.
    pub name: String,
    /// Its controller, if the API declares where it is.
    pub controller: Option<String>,
    /// The features that it lists; nothing if it lists none.
    pub features: Option<BTreeSet<String>>,
}

/// An object: the name of its CRD, its namespace (empty if it has none) and its name.
type Key = (String, String, String);

/// The classes of a cluster, and the parents that lead to them.
pub(crate) struct Classes<'q> {
    features: &'q Features,
    declared: &'q Implementations,
    crds: Vec<&'q CustomResourceDefinition>,
    classes: BTreeMap<String, ClassReport>,
    /// What each parent refers to; nothing for what is unknown.
    parents: BTreeMap<Key, Vec<Option<Key>>>,
}

/// What the classes of a cluster do not support of a CRD.
pub(crate) struct OfCrd<'c> {
    classes: &'c Classes<'c>,
    crd: &'c CustomResourceDefinition,
    /// For each class with features, what it does not support: the features, and how objects use it; nothing for the resource as a whole.
    unsupported: BTreeMap<&'c str, Vec<(String, Option<Usable>)>>,
}

/// A use of what a class does not support.
#[derive(Default)]
pub(crate) struct UnsupportedUse {
    /// The path in the object; empty for the resource.
    pub(crate) path: String,
    /// The same without indexes.
    pub(crate) general: String,
    /// The value, if a value is unsupported.
    pub(crate) value: String,
    /// What is missing: the features and the class.
    pub(crate) missing: String,
}

impl<'q> Classes<'q> {
    /// Reads the classes and the parents. Nothing if the API does not declare them, or if the cluster does not have them. What cannot be read is unknown here;
    /// reading the objects of the same CRD for the report shows why.
    pub(crate) async fn read(cluster: &Cluster, features: &'q Features, crds: &'q [InstalledCrd]) -> Option<Self> {
        let declared = features.implementations.as_ref()?;
        let crds = crds.iter().filter_map(|installed| installed.crd.as_ref().ok()).collect::<Vec<_>>();
        let mut all = Self { features, declared, crds, classes: BTreeMap::new(), parents: BTreeMap::new() };
        all.crd(&declared.class)?;
        let is_parent = |crd: &&CustomResourceDefinition| {
            let leads_to = declared.references.iter().any(|of| of.to.iter().any(|to| *to == *crd.name));
            leads_to || declared.class == *crd.name
        };
        for crd in all.crds.clone().into_iter().filter(is_parent) {
            let Some(version) = crd.preferred() else { continue };
            let mut add = |object: Object| all.add(crd, &object);
            cluster.objects(crd, &version.name, &mut add, &mut |_| {}).await;
        }
        Some(all)
    }

    fn crd(&self, name: &str) -> Option<&'q CustomResourceDefinition> {
        self.crds.iter().copied().find(|crd| *crd.name == *name)
    }

    fn add(&mut self, crd: &CustomResourceDefinition, object: &Object) {
        let Object { metadata, value, .. } = object;
        if *crd.name != *self.declared.class {
            let key = (crd.name.to_string(), metadata.namespace.clone().unwrap_or_default(), metadata.name.clone());
            let leads_to = self.leads_to(crd, object);
            self.parents.insert(key, leads_to);
            return;
        }
        let listed = values(value, &self.declared.features).into_iter().filter_map(Value::as_str).map(str::to_owned);
        let listed = listed.collect::<BTreeSet<_>>();
        let controller = self.declared.controller.as_ref().and_then(|path| values(value, path).into_iter().next());
        let class = ClassReport {
            name: metadata.name.clone(),
            controller: controller.and_then(Value::as_str).map(str::to_owned),
            features: (!listed.is_empty()).then_some(listed),
        };
        self.classes.insert(metadata.name.clone(), class);
    }

    /// What an object refers to.
    fn leads_to(&self, crd: &CustomResourceDefinition, object: &Object) -> Vec<Option<Key>> {
        let namespace = object.metadata.namespace.as_deref().unwrap_or_default();
        let references = self.declared.references.iter().filter(|reference| *reference.from == *crd.name);
        let of = |reference: &'q Reference| {
            let found = values(&object.value, &reference.path).into_iter();
            found.map(|found| self.target(reference, found, namespace)).collect::<Vec<_>>()
        };
        references.flat_map(of).collect()
    }

    /// The object that a reference names.
    fn target(&self, reference: &Reference, found: &Value, own_namespace: &str) -> Option<Key> {
        let text = |key: &str| found.get(key).and_then(Value::as_str);
        let mut possible = reference.to.iter().filter_map(|to| self.crd(to));
        let first = possible.clone().next()?;
        let (group, kind) = (text("group").unwrap_or(&first.group), text("kind").unwrap_or(&first.names.kind));
        let crd = possible.find(|crd| *crd.group == *group && *crd.names.kind == *kind)?;
        let namespace = match crd.scope {
            Scope::Cluster => "",
            Scope::Namespaced => text("namespace").unwrap_or(own_namespace),
        };
        Some((crd.name.to_string(), namespace.to_owned(), found.as_str().or(text("name"))?.to_owned()))
    }

    /// The classes of an object, and whether something that it refers to has none.
    fn of(&self, crd: &CustomResourceDefinition, object: &Object) -> (BTreeSet<&str>, bool) {
        let (mut classes, mut is_unknown, mut seen) = (BTreeSet::new(), false, BTreeSet::new());
        let mut open = self.leads_to(crd, object);
        while let Some(next) = open.pop() {
            let Some(key) = next else {
                is_unknown = true;
                continue;
            };
            if key.0 == self.declared.class {
                match self.classes.get_key_value(&key.2) {
                    Some((name, _)) => drop(classes.insert(name.as_str())),
                    None => is_unknown = true,
                }
            } else if seen.insert(key.clone()) {
                match self.parents.get(&key) {
                    Some(parents) => open.extend(parents.iter().cloned()),
                    None => is_unknown = true,
                }
            }
        }
        (classes, is_unknown)
    }

    /// What the classes do not support of a CRD, if its objects lead to classes and have elements with features.
    pub(crate) fn of_crd<'c>(&'c self, crd: &'c CustomResourceDefinition, version: &str) -> Option<OfCrd<'c>> {
        let has_references = self.declared.references.iter().any(|reference| *reference.from == *crd.name);
        let version = crd.version(version).filter(|_| has_references)?;
        self.features.elements.iter().find(|element| element.crd == *crd.name)?;
        let of_class = |class: &'c ClassReport| {
            let elements = self.features.unsupported(crd, class.features.as_ref()?);
            let is_of_version = |of: Option<&str>| of.is_none_or(|of| *of == *version.name);
            let of_version = elements.iter().filter(|(only, _)| is_of_version(only.version.as_deref()));
            let used = |(only, features): &Unsupported| (features.join(" or "), Usable::of(only, version));
            Some((class.name.as_str(), of_version.map(used).collect()))
        };
        Some(OfCrd { classes: self, crd, unsupported: self.classes.values().filter_map(of_class).collect() })
    }

    /// The classes, and a note about each without features.
    pub(crate) fn finish(self) -> (Vec<ClassReport>, Vec<Diagnostic>) {
        let without = self.classes.values().filter(|class| class.features.is_none()).map(|class| {
            let message = format!("the class `{}` lists no features, so no use of a feature is checked", class.name);
            let finding = codes::FEATURES_UNLISTED.finding(message);
            finding.of_crd(self.declared.class.clone(), None, self.declared.features.clone())
        });
        let notes = without.collect();
        (self.classes.into_values().collect(), notes)
    }
}

impl OfCrd<'_> {
    /// What an object uses and its classes do not support, and whether something that it refers to has no known class.
    pub(crate) fn uses(&self, object: &Object) -> (Vec<UnsupportedUse>, bool) {
        let (classes, is_unknown) = self.classes.of(self.crd, object);
        let mut found = Vec::new();
        for class in classes {
            for (features, usable) in self.unsupported.get(class).into_iter().flatten() {
                let missing = format!("{features}, which the class `{class}` does not list");
                let Some(usable) = usable else {
                    found.push(UnsupportedUse { missing, ..UnsupportedUse::default() });
                    continue;
                };
                found.extend(usable.uses(&object.value).into_iter().map(|used| UnsupportedUse {
                    path: used.path,
                    general: usable.path.clone(),
                    value: used.value.map(Value::to_string).unwrap_or_default(),
                    missing: missing.clone(),
                }));
            }
        }
        (found, is_unknown)
    }
}
