//! Both bundles of the notes, by channel and CRD.

use std::collections::{BTreeMap, BTreeSet};

use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_model::crd::Version;

use super::Notes;
use crd_bundle::admission::guardrails;

/// The CRDs of a channel, by name.
pub(super) type Crds<'a> = BTreeMap<&'a str, &'a CustomResourceDefinition>;

pub(super) struct Bundles<'a> {
    /// What the release is compared with; empty for the first one.
    pub(super) old: BTreeMap<Channel, Crds<'a>>,
    pub(super) new: BTreeMap<Channel, Crds<'a>>,
    /// Kinds that more than one CRD has.
    ambiguous: BTreeSet<&'a str>,
}

impl<'a> Bundles<'a> {
    /// The bundles of these notes.
    pub(super) fn of(input: &Notes<'a>) -> Self {
        let release: &'a crate::Release = input.release;
        let new: BTreeMap<Channel, Crds<'a>> = release
            .channels
            .iter()
            .map(|released| {
                (released.channel, released.files.iter().map(|file| (&*file.crd.name, &*file.crd)).collect())
            })
            .collect();
        let since: Option<&'a crd_compat::Channels> = input.since.map(|since| since.channels);
        let old: BTreeMap<Channel, Crds<'a>> = since
            .into_iter()
            .flatten()
            .map(|(channel, crds)| (*channel, crds.iter().map(|crd| (&*crd.name, &**crd)).collect()))
            .collect();
        let mut kinds: BTreeMap<&'a str, BTreeSet<&'a str>> = BTreeMap::new();
        for (name, crd) in old.values().chain(new.values()).flatten() {
            kinds.entry(&crd.names.kind).or_default().insert(name);
        }
        let ambiguous = kinds.into_iter().filter(|(_, names)| names.len() > 1).map(|(kind, _)| kind).collect();
        Self { old, new, ambiguous }
    }

    /// Whether there is anything to compare with.
    pub(super) fn has_earlier(&self) -> bool {
        !self.old.is_empty()
    }

    /// A CRD of the earlier bundle.
    pub(super) fn in_old(&self, channel: Channel, name: &str) -> Option<&'a CustomResourceDefinition> {
        self.old.get(&channel)?.get(name).copied()
    }

    /// A CRD of the release.
    pub(super) fn in_new(&self, channel: Channel, name: &str) -> Option<&'a CustomResourceDefinition> {
        self.new.get(&channel)?.get(name).copied()
    }

    /// Whether guardrails came with the earlier bundle, and none come with the release.
    pub(super) fn guardrails_are_gone(&self) -> bool {
        let needed = |bundle: &BTreeMap<Channel, Crds<'a>>| {
            let crds = |channel| bundle.get(&channel).into_iter().flat_map(|crds| crds.values().copied());
            guardrails::are_needed(crds(Channel::Standard), crds(Channel::Experimental))
        };
        needed(&self.old) && !needed(&self.new)
    }

    /// What people call a CRD: its kind; its name where the kind is not enough.
    pub(super) fn called(&self, name: &'a str) -> &'a str {
        let crd = self.new.values().chain(self.old.values()).find_map(|crds| crds.get(name));
        match crd {
            Some(crd) if !self.ambiguous.contains(&*crd.names.kind) => &crd.names.kind,
            _ => name,
        }
    }
}

/// A version of a CRD by its name.
pub(super) fn version<'c>(crd: &'c CustomResourceDefinition, name: &str) -> Option<&'c Version> {
    crd.versions.iter().find(|version| version.name == name)
}

/// The version that objects are stored in.
pub(super) fn stored_in(crd: &CustomResourceDefinition) -> Option<&Version> {
    crd.versions.iter().find(|version| version.storage)
}

/// The version that a manifest should have: served, not deprecated, and the stored one if that is such.
pub(super) fn preferred(crd: &CustomResourceDefinition) -> Option<&Version> {
    let good = |version: &&Version| version.served && !version.deprecated;
    stored_in(crd).filter(good).or_else(|| crd.versions.iter().find(good))
}
