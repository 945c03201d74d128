//! The releases of a project with all their CRDs, from the history archive and from bundles: what graduation and the site are computed from.
//!
//! Invariants: lowest version first, each version once. Neighbours share equal CRDs of the archive.

use std::sync::Arc;

use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;

use crate::history_archive::{PastChannels, PastRelease};
use crate::{BundleVersion, Released};

/// A release of a timeline, or the candidate after the last release.
#[derive(Clone, Debug, PartialEq)]
pub struct TimelineRelease {
    /// Its version: of the candidate, the version that it will be released as.
    pub version: BundleVersion,
    /// Its release date; none if it is unknown, or for the candidate.
    pub released: Option<Released>,
    /// Its CRDs by channel, each channel sorted by name. Those of the archive have no texts.
    pub channels: PastChannels,
}

impl TimelineRelease {
    /// The CRDs of a channel.
    pub fn crds(&self, channel: Channel) -> &[Arc<CustomResourceDefinition>] {
        self.channels.get(&channel).map(Vec::as_slice).unwrap_or_default()
    }

    /// A CRD of a channel.
    pub fn crd(&self, channel: Channel, name: &str) -> Option<&CustomResourceDefinition> {
        self.crds(channel).iter().find(|crd| crd.name == name).map(|crd| &**crd)
    }
}

impl From<PastRelease> for TimelineRelease {
    fn from(PastRelease { version, released, channels }: PastRelease) -> Self {
        Self { version, released: Some(released), channels }
    }
}

/// Releases in the order of a timeline. Of a version that is given twice, the first one counts.
pub fn ordered(releases: impl IntoIterator<Item = TimelineRelease>) -> Vec<TimelineRelease> {
    let mut releases = releases.into_iter().collect::<Vec<_>>();
    releases.sort_by_key(|release| release.version);
    releases.dedup_by_key(|release| release.version);
    for release in &mut releases {
        release.channels.values_mut().for_each(|crds| crds.sort_by(|one, other| one.name.cmp(&other.name)));
    }
    releases
}
