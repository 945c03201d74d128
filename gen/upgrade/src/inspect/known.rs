//! The bundles that an installation is compared with: releases of the API, history included.
//!
//! Invariant: only structures are kept, so that texts and stamps are not compared; releases share the CRDs that did not change.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crd_bundle::structure;
use crd_bundle::{BundleStamp, BundleVersion, Release};
use crd_model::channel::Channel;
use crd_model::{Channels, CustomResourceDefinition};

/// A bundle version and a channel.
pub type Part = (BundleVersion, Channel);

/// What the stamps of CRDs name: a version or a month, and a channel.
pub type InstalledBundle = (BundleStamp, Channel);

#[derive(Clone, Debug, Default)]
pub struct KnownBundles {
    releases: BTreeMap<BundleVersion, Channels>,
}

impl KnownBundles {
    /// Adds a release, if its version is known, by its stamps or as the name of its folder. A release that is known already stays.
    pub fn add(&mut self, release: &Release, named: Option<BundleVersion>) {
        if let Some(version) = release.version.or(named.filter(|_| release.month().is_none())) {
            self.releases.entry(version).or_insert_with(|| release.structures());
        }
    }

    /// Whether no bundle is known.
    pub fn is_empty(&self) -> bool {
        self.releases.is_empty()
    }

    /// The versions, lowest first.
    pub fn versions(&self) -> impl DoubleEndedIterator<Item = BundleVersion> {
        self.releases.keys().copied()
    }

    /// The known bundles, lowest version first.
    pub fn releases(&self) -> impl Iterator<Item = Release> {
        self.releases.iter().map(|(version, crds)| Release::new(version.to_string(), Some(*version), crds.clone()))
    }

    /// The CRDs of a bundle by channel; nothing if it is not known.
    pub(crate) fn release(&self, version: BundleVersion) -> Channels {
        self.releases.get(&version).cloned().unwrap_or_default()
    }

    /// The CRDs of a bundle in a channel, if the bundle is known.
    pub fn crds(&self, (version, channel): Part) -> Option<&[Arc<CustomResourceDefinition>]> {
        let release = self.releases.get(&version)?;
        Some(release.get(&channel).map(Vec::as_slice).unwrap_or_default())
    }

    /// The CRD of a bundle in a channel.
    pub fn crd(&self, part: Part, name: &str) -> Option<&Arc<CustomResourceDefinition>> {
        self.crds(part)?.iter().find(|crd| crd.name == name)
    }

    /// The bundles that have a CRD of this name, lowest first.
    pub fn with_name<'k>(&'k self, name: &'k str) -> impl Iterator<Item = (Part, &'k CustomResourceDefinition)> {
        self.releases.iter().flat_map(move |(version, release)| {
            let of_channel = move |(channel, crds): (&Channel, &'k Vec<Arc<CustomResourceDefinition>>)| {
                let crd = crds.iter().find(|crd| crd.name == name)?;
                Some(((*version, *channel), &**crd))
            };
            release.iter().filter_map(of_channel)
        })
    }

    /// The API groups of all CRDs.
    pub fn groups(&self) -> BTreeSet<&str> {
        let crds = self.releases.values().flat_map(BTreeMap::values).flatten();
        crds.filter_map(|crd| crd.name.split_once('.')).map(|(_, group)| group).collect()
    }
}

/// What is compared of a CRD: its structure with the values that a server fills in, without annotations and labels, which belong to its managers.
pub(crate) fn compared(crd: &CustomResourceDefinition) -> CustomResourceDefinition {
    let mut crd = structure(crd);
    crd.annotations.clear();
    crd.labels.clear();
    crd.conversion = crd.conversion.filter(|conversion| conversion["strategy"] != "None");
    if crd.preserve_unknown_fields == Some(false) {
        crd.preserve_unknown_fields = None;
    }
    for version in &mut crd.versions {
        for column in &mut version.columns {
            column.priority = column.priority.filter(|priority| *priority != 0);
        }
    }
    filled(crd)
}

/// The CRD with the names that a server fills in.
pub(crate) fn filled(mut crd: CustomResourceDefinition) -> CustomResourceDefinition {
    let kind = crd.names.kind.to_string();
    crd.names.list_kind.get_or_insert_with(|| format!("{kind}List").into());
    crd.names.singular.get_or_insert_with(|| kind.to_lowercase().into());
    crd
}
