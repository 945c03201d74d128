//! CRDs that remain in clusters: the previous bundle has them, this one does not, and no tool deletes them.

use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;

use super::bundles::Bundles;

/// The CRDs of a channel that remain in clusters.
pub(super) struct Orphaned<'a> {
    pub(super) channel: Channel,
    /// The CRDs of the previous bundle, by name; at least one.
    pub(super) crds: Vec<&'a CustomResourceDefinition>,
}

/// The CRDs that remain, for each channel. If the release does not have a channel, all CRDs of the channel remain.
pub(super) fn orphaned<'a>(bundles: &Bundles<'a>) -> Vec<Orphaned<'a>> {
    bundles
        .old
        .iter()
        .map(|(channel, old)| {
            let is_removed = |name: &&str| !bundles.new.get(channel).is_some_and(|new| new.contains_key(name));
            let crds = old.iter().filter(|(name, _)| is_removed(name)).map(|(_, crd)| *crd).collect();
            Orphaned { channel: *channel, crds }
        })
        .filter(|orphaned| !orphaned.crds.is_empty())
        .collect()
}
