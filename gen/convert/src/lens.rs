//! Lenses: how one change of a resource converts objects between the old and the new form.

use std::collections::BTreeMap;
use std::fmt;

use crd_model::{BundleVersion, CustomResourceDefinition};
use serde_json::Value;

use crate::operation::Operation;
use crate::path::Path;

/// The `apiVersion` and `kind` of an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity {
    /// `GROUP/VERSION`, such as `gateway.networking.k8s.io/v1`.
    pub api_version: String,
    /// The kind.
    pub kind: String,
}

impl Identity {
    /// The API group; empty for the core group.
    #[must_use]
    pub fn group(&self) -> &str {
        group(&self.api_version)
    }
}

/// The `apiVersion` and `kind` of an object; empty where they are missing.
pub(crate) fn identity(object: &Value) -> (&str, &str) {
    let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
    (text("apiVersion"), text("kind"))
}

pub(crate) fn group(api_version: &str) -> &str {
    api_version.rsplit_once('/').map_or("", |(group, _)| group)
}

impl fmt::Display for Identity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.api_version, self.kind)
    }
}

/// How one change converts objects between the old and the new form.
///
/// The steps apply to objects of the kind before the lens wherever the old form is present, whatever the version in `apiVersion` is: API servers
/// present stored objects under every served version ("API versioning guide", *CRs are not actually versioned in storage*). If the lens changes
/// the group or kind, the steps apply only to objects with exactly the old identity.
#[derive(Clone, Debug, PartialEq)]
pub struct Lens {
    /// A name, unique in the document. Conversion data refers to it, so it must never change.
    pub name: String,
    /// The CRD of the current form: `PLURAL.GROUP`. All lenses of one resource, with its former kinds and groups, name the same CRD.
    pub resource: String,
    /// The API group of the objects after this lens.
    pub group: String,
    /// The kind of the objects after this lens.
    pub kind: String,
    /// The bundle in which the new form appeared.
    pub since: BundleVersion,
    /// The old and the new identity, if the kind, group or version changes.
    pub identity: Option<(Identity, Identity)>,
    /// Whether another lens, without this flag, has the same new identity: backward conversion gives the old identity of that lens. The old
    /// identity of this one travels in the conversion data.
    pub is_merged: bool,
    /// The steps, in the order of forward conversion.
    pub steps: Vec<Step>,
}

impl Lens {
    /// The group and kind of the objects before this lens.
    #[must_use]
    pub fn source(&self) -> (&str, &str) {
        match &self.identity {
            Some((from, _)) => (from.group(), &from.kind),
            None => self.target(),
        }
    }

    /// What forward conversion does, a sentence for each change, without full stops.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let identity = self.identity.as_ref().map(|(from, to)| match from.kind == to.kind {
            true => format!("`{}` becomes `{}`", from.api_version, to.api_version),
            false => format!("`{from}` becomes `{to}`"),
        });
        identity.into_iter().chain(self.steps.iter().map(|step| step.operation.words())).collect()
    }

    /// What forward conversion loses.
    #[must_use]
    pub fn loses(&self) -> Vec<String> {
        self.steps.iter().filter_map(Step::loses).collect()
    }

    /// What the conversion data keeps, because one form cannot express it: it returns with conversion in the other direction.
    #[must_use]
    pub fn keeps(&self) -> Vec<String> {
        let merged = self.identity.as_ref().filter(|_| self.is_merged);
        let merged = merged.map(|(from, _)| format!("that the object was `{from}`"));
        merged.into_iter().chain(self.steps.iter().flat_map(Step::kept)).collect()
    }

    /// Whether the lens changes the API version only, to one that the CRD serves: then the old version is that of a request, not a form of the object.
    #[must_use]
    pub fn is_about_version_of(&self, crd: &CustomResourceDefinition) -> bool {
        let Some((_, to)) = self.identity.as_ref().filter(|_| self.steps.is_empty()) else { return false };
        let version = to.api_version.strip_prefix(&*crd.group).and_then(|rest| rest.strip_prefix('/'));
        let is_served = version.and_then(|name| crd.version(name)).is_some_and(|version| version.served);
        is_served && *crd.names.kind == *to.kind
    }

    /// The group and kind of the objects after this lens.
    #[must_use]
    pub fn target(&self) -> (&str, &str) {
        (&self.group, &self.kind)
    }
}

/// One operation of a lens.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What the step does.
    pub operation: Operation,
    /// The fields that identify the items of lists on the way, in the old form. Conversion data returns to the item with the same keys; without
    /// them, to the item that is as it was.
    pub keys: BTreeMap<Path, Vec<String>>,
    /// Whether old values that the new form cannot express travel in the conversion data, and return with backward conversion.
    pub keeps: bool,
}

impl Step {
    /// The step in the form of its time, before a later lens: with the places that the values had then.
    #[must_use]
    pub fn before(mut self, later: &Operation) -> Self {
        for place in self.operation.places_mut() {
            *place = later.before(place);
        }
        self.keys = self.keys.into_iter().map(|(list, fields)| (later.before(&list), fields)).collect();
        self
    }

    /// What forward conversion loses. What a step keeps, and what backward conversion cannot express, is in the conversion data instead.
    #[must_use]
    pub fn loses(&self) -> Option<String> {
        if self.keeps { None } else { self.operation.loses() }
    }
}

impl Step {
    /// What the conversion data keeps: old values, if the step keeps them, and new ones.
    fn kept(&self) -> impl Iterator<Item = String> {
        let any = || "old values that the new form cannot express".to_owned();
        let old = self.keeps.then(|| self.operation.loses().unwrap_or_else(any));
        old.into_iter().chain(self.operation.leaves_out())
    }
}

impl From<Operation> for Step {
    fn from(operation: Operation) -> Self {
        Self { operation, keys: BTreeMap::new(), keeps: false }
    }
}
