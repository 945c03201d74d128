//! Published CRDs, and the source that is written from them.

use std::collections::BTreeMap;

use crd_model::crd::CustomResourceDefinition;
use crd_names::channel::Channel;
use crd_names::wire::is_group;

use crate::importer::difference::Difference;

/// Published CRDs: of one channel, or of both.
#[derive(Clone, Debug, Default)]
pub struct Published {
    /// The CRDs of the channel standard, or of an API without channels.
    pub(crate) standard: Vec<CustomResourceDefinition>,
    /// The CRDs of the channel experimental, if there are two channels.
    pub(crate) experimental: Option<Vec<CustomResourceDefinition>>,
    /// Whether equal parts of a schema are a type each.
    pub(crate) has_own_types: bool,
}

impl Published {
    /// An API with one set of CRDs.
    pub fn one_channel(crds: Vec<CustomResourceDefinition>) -> Self {
        Self { standard: crds, ..Self::default() }
    }

    /// An API with two channels.
    pub fn two_channels(standard: Vec<CustomResourceDefinition>, experimental: Vec<CustomResourceDefinition>) -> Self {
        Self { standard, experimental: Some(experimental), has_own_types: false }
    }

    /// The same CRDs, with a type for each part of a schema. The name of a type depends on its path only: a field that is added elsewhere changes none.
    #[must_use]
    pub fn with_own_types(self) -> Self {
        Self { has_own_types: true, ..self }
    }

    /// Whether there are two channels.
    pub fn has_channels(&self) -> bool {
        self.experimental.is_some()
    }

    /// The groups, sorted, with the number of their CRDs.
    pub fn groups(&self) -> BTreeMap<String, usize> {
        let mut groups = BTreeMap::new();
        for crd in self.standard.iter().chain(self.experimental.iter().flatten()) {
            *groups.entry(crd.group.to_string()).or_default() += 1;
        }
        groups
    }

    /// The group that begins the stamps: the longest ending that all groups have at a dot, else the group of most CRDs.
    pub fn prefix(&self) -> Option<String> {
        let groups = self.groups();
        let first = groups.first_key_value()?.0;
        let endings = first.match_indices('.').map(|(at, _)| &first[at + 1..]);
        let is_of_all = |ending: &&str| {
            let mut all = groups.keys();
            is_group(ending) && all.all(|group| group == *ending || group.ends_with(&format!(".{ending}")))
        };
        let common = std::iter::once(first.as_str()).chain(endings).find(is_of_all);
        let largest = || groups.iter().rev().max_by_key(|(_, crds)| **crds).map(|(group, _)| group.as_str());
        common.or_else(largest).filter(|group| is_group(group)).map(str::to_owned)
    }

    /// Annotations that every CRD has with the same value, except those that tools write.
    pub(crate) fn annotations_of_all(&self) -> BTreeMap<String, String> {
        let mut crds = self.standard.iter().chain(self.experimental.iter().flatten()).map(annotations);
        let mut all = crds.next().unwrap_or_default();
        for annotations in crds {
            all.retain(|key, value| annotations.get(key) == Some(value));
        }
        all
    }
}

/// The annotations of a CRD, except those that the generator of the CRD or this tool writes. Other tools have annotations of the name `channel` too.
pub(crate) fn annotations(crd: &CustomResourceDefinition) -> BTreeMap<String, String> {
    let has_version = |prefix: &str| crd.annotations.contains_key(&*format!("{prefix}/bundle-version"));
    let is_written = |key: &str, value: &str| match key.rsplit_once('/') {
        Some((prefix, "channel")) => Channel::named(value).is_some() || has_version(prefix),
        Some((_, name)) => name == "bundle-version" || key == "controller-gen.kubebuilder.io/version",
        None => false,
    };
    let entries = crd.annotations.iter().filter(|(key, value)| !is_written(key, value));
    entries.map(|(key, value)| (key.to_string(), value.to_string())).collect()
}

/// The Rust source of an API.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// The files, below the folder `src` of the crate of the types.
    pub files: Vec<SourceFile>,
    /// The root types, in the order of the catalogue.
    pub resources: Vec<ResourceType>,
    /// Where each type is in the CRDs.
    pub types: Vec<TypePlace>,
    /// Annotations of the catalogue.
    pub annotations: BTreeMap<String, String>,
    /// What the types do not express, sorted.
    pub differences: Vec<Difference>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// The path below `src`, with `/`.
    pub path: String,
    pub text: String,
}

/// A type, and where it is in a CRD.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypePlace {
    /// The file of the type, below `src`.
    pub file: String,
    /// Its name in Rust.
    pub name: String,
    /// The name of the CRD.
    pub crd: String,
    pub version: String,
    pub kind: String,
    /// The path in the schema. `[]` instead of `[*]` at the end is a type around the items.
    pub path: String,
    /// The parts of the path as one name, which can be that of another type too.
    pub wanted: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceType {
    /// The name of the CRD.
    pub crd: String,
    /// The path of the type in the crate: `v1::HTTPRoute`.
    pub path: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prefix_is_the_group_that_all_have_in_common() {
        let prefix = |groups: &[&'static str]| {
            let crd = |group: &&'static str| CustomResourceDefinition { group: (*group).into(), ..Default::default() };
            Published::one_channel(groups.iter().map(crd).collect()).prefix()
        };
        assert_eq!(prefix(&["a.example.com"]).as_deref(), Some("a.example.com"));
        assert_eq!(prefix(&["cert-manager.io", "acme.cert-manager.io"]).as_deref(), Some("cert-manager.io"));
        assert_eq!(prefix(&["a.example.com", "b.example.com"]).as_deref(), Some("example.com"));
        assert_eq!(prefix(&["a.example.com", "b.example.org"]).as_deref(), Some("a.example.com"));
        assert_eq!(prefix(&["a.example.com", "b.example.org", "b.example.org"]).as_deref(), Some("b.example.org"));
        assert_eq!(prefix(&["odd"]), None);
        assert_eq!(prefix(&[]), None);
    }
}
