//! Projects: whose CRDs two bundles contain. A folder can contain CRDs of other projects.
//!
//! Invariants: a project is a stamp prefix with the API groups of the CRDs that carry it. CRDs without stamps are one project. A name has one project
//! in both bundles, that of its stamp in the baseline: an author cannot choose it. A channel of a project that one bundle lacks is skipped only where
//! the project has both channels in the other bundle and at least one of them here; every other CRD that only one bundle has is added or removed. A
//! CRD of a project without two channels is compared in the channel of the baseline, and is also removed from standard if it left it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crd_model::channel::Channel;
use crd_model::{Channels, CustomResourceDefinition};
use serde::{Serialize, Serializer};

/// A project of two bundles.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Project {
    /// The prefix of its stamps, such as `gateway.networking.k8s.io`; none for CRDs without stamps.
    pub prefix: Option<String>,
    /// The API groups of its CRDs.
    pub groups: BTreeSet<String>,
    /// The channels of its CRDs.
    pub channels: BTreeSet<Channel>,
    /// The names of its CRDs; in documents, their number.
    #[serde(serialize_with = "number")]
    #[cfg_attr(feature = "schema", schemars(with = "usize"))]
    pub crds: BTreeSet<String>,
}

fn number<S: Serializer>(crds: &BTreeSet<String>, serializer: S) -> Result<S::Ok, S::Error> {
    crds.len().serialize(serializer)
}

/// The endings of the keys of stamps.
pub(crate) const STAMPS: [&str; 2] = ["/bundle-version", "/channel"];

/// The prefix of the stamps of a CRD: the first one that has both stamps, or else one of them.
fn prefix(crd: &CustomResourceDefinition) -> Option<&str> {
    let [versions, channels] =
        STAMPS.map(|end| crd.annotations.keys().filter_map(|key| key.strip_suffix(end)).collect::<Vec<_>>());
    let both = versions.iter().find(|prefix| channels.contains(prefix));
    both.or(channels.first()).or(versions.first()).copied()
}

/// The projects of two bundles.
pub struct Projects<'a> {
    baseline: Option<&'a Channels>,
    candidate: &'a Channels,
    /// The prefixes of CRDs with stamps, by the names of the CRDs.
    prefixes: BTreeMap<&'a str, &'a str>,
    /// The projects that have a name in both channels of one bundle.
    with_channels: BTreeSet<Option<&'a str>>,
}

/// How a CRD is compared that one bundle lacks in a channel.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counterpart {
    /// It was added or removed.
    None,
    /// It is not compared: the other bundle lacks this channel of the project.
    Skipped,
    /// With the CRD of the same name in this channel of the other bundle, by the rules of the channel of the baseline.
    In(Channel),
}

fn has(bundle: &Channels, channel: Channel, name: &str) -> bool {
    bundle.get(&channel).is_some_and(|crds| crds.iter().any(|crd| *crd.name == *name))
}

impl<'a> Projects<'a> {
    /// The projects of a candidate and its baseline.
    pub fn of(baseline: Option<&'a Channels>, candidate: &'a Channels) -> Self {
        let mut projects = Self { baseline, candidate, prefixes: BTreeMap::new(), with_channels: BTreeSet::new() };
        // The baseline last: its stamps decide.
        for crd in [candidate].into_iter().chain(baseline).flat_map(BTreeMap::values).flatten() {
            projects.prefixes.extend(prefix(crd).map(|prefix| (&*crd.name, prefix)));
        }
        for bundle in projects.bundles() {
            let names =
                |crds: &'a Vec<Arc<CustomResourceDefinition>>| crds.iter().map(|crd| &*crd.name).collect::<Vec<_>>();
            let mut names = bundle.values().flat_map(names).collect::<Vec<_>>();
            names.sort_unstable();
            let twice = names.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
            let twice = twice.map(|name| projects.prefix(name)).collect::<Vec<_>>();
            projects.with_channels.extend(twice);
        }
        projects
    }

    fn bundles(&self) -> impl Iterator<Item = &'a Channels> + use<'a> {
        self.baseline.into_iter().chain([self.candidate])
    }

    fn prefix(&self, name: &str) -> Option<&'a str> {
        self.prefixes.get(name).copied()
    }

    /// Every project, that of most CRDs first; of several with the same number, that without stamps.
    pub fn list(&self) -> Vec<Project> {
        let mut projects: BTreeMap<Option<&str>, Project> = BTreeMap::new();
        for (channel, crds) in self.bundles().flatten() {
            for crd in crds {
                let prefix = self.prefix(&crd.name);
                let project = projects.entry(prefix).or_default();
                project.prefix = prefix.map(str::to_owned);
                project.groups.insert(crd.group.to_string());
                project.channels.insert(*channel);
                project.crds.insert(crd.name.to_string());
            }
        }
        let mut projects = projects.into_values().collect::<Vec<_>>();
        projects.sort_by_key(|project| Reverse(project.crds.len()));
        projects
    }

    /// The CRDs of a channel, if the bundle has this channel of the project of this CRD. A channel without CRDs belongs to each project.
    fn channel<'b>(
        &self,
        bundle: &'b Channels,
        channel: Channel,
        name: &str,
    ) -> Option<&'b [Arc<CustomResourceDefinition>]> {
        let is_own = |crd: &CustomResourceDefinition| self.prefix(&crd.name) == self.prefix(name);
        let crds = bundle.get(&channel).filter(|crds| crds.is_empty() || crds.iter().any(|crd| is_own(crd)));
        crds.map(Vec::as_slice)
    }

    /// Whether the project of this CRD has two channels. Without stamps, folders declare them. With stamps, a name is in both: otherwise the bundles
    /// contain some CRDs of each channel, and a user cannot choose one.
    fn has_two(&self, name: &str) -> bool {
        let prefix = self.prefix(name);
        prefix.is_none() || self.with_channels.contains(&prefix)
    }

    /// The experimental CRDs, if the bundle has them and the project of this CRD has two channels.
    pub(crate) fn experimental<'b>(
        &self,
        bundle: &'b Channels,
        name: &str,
    ) -> Option<&'b [Arc<CustomResourceDefinition>]> {
        self.channel(bundle, Channel::Experimental, name).filter(|crds| crds.is_empty() || self.has_two(name))
    }

    /// How a CRD is compared that one bundle lacks in this channel.
    pub(crate) fn counterpart(&self, channel: Channel, name: &str) -> Counterpart {
        let Some(baseline) = self.baseline else { return Counterpart::Skipped };
        let lacking = if has(baseline, channel, name) { self.candidate } else { baseline };
        let has_two = self.has_two(name);
        let others = || Channel::ALL.into_iter().filter(|other| *other != channel);
        if !has_two && let Some(other) = others().find(|other| has(lacking, *other, name)) {
            return Counterpart::In(other);
        }
        let lacks_channel = self.channel(lacking, channel, name).is_none();
        match lacks_channel && has_two && others().any(|other| self.channel(lacking, other, name).is_some()) {
            true => Counterpart::Skipped,
            false => Counterpart::None,
        }
    }

    /// Whether a channel is compared that only one bundle has; none if all its CRDs are compared in the other channel, that of the baseline.
    pub fn compares(&self, channel: Channel) -> Option<bool> {
        let mut counterparts = self.counterparts(channel).collect::<Vec<_>>();
        let is_empty = counterparts.is_empty();
        let is_here = |name: &str| self.baseline.is_some_and(|baseline| has(baseline, channel, name));
        counterparts.retain(|(name, counterpart)| !matches!(counterpart, Counterpart::In(_)) || is_here(name));
        let is_compared = counterparts.iter().any(|(_, counterpart)| *counterpart != Counterpart::Skipped);
        (is_empty || !counterparts.is_empty()).then_some(is_compared)
    }

    /// The prefixes of the projects that are not compared in this channel, because one bundle lacks it.
    pub fn skipped(&self, channel: Channel) -> BTreeSet<&'a str> {
        let skipped = self.counterparts(channel).filter(|(_, counterpart)| *counterpart == Counterpart::Skipped);
        skipped.filter_map(|(name, _)| self.prefix(name)).collect()
    }

    fn counterparts(&self, channel: Channel) -> impl Iterator<Item = (&'a str, Counterpart)> {
        let crds = self.bundles().filter_map(move |bundle| bundle.get(&channel)).flatten();
        crds.map(move |crd| (&*crd.name, self.counterpart(channel, &crd.name)))
    }
}
