//! CRDs that stay behind: the earlier bundle had them, this one has not, and nothing deletes them from a cluster.

use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;

use super::bundles::Bundles;

/// What a channel leaves behind.
pub(super) struct LeftBehind<'a> {
    pub(super) channel: Channel,
    /// The CRDs as they were, by name; at least one.
    pub(super) crds: Vec<&'a CustomResourceDefinition>,
}

/// What each channel leaves behind. A channel that the release does not have at all leaves all its CRDs.
pub(super) fn left_behind<'a>(bundles: &Bundles<'a>) -> Vec<LeftBehind<'a>> {
    bundles
        .old
        .iter()
        .map(|(channel, old)| {
            let is_gone = |name: &&str| !bundles.new.get(channel).is_some_and(|new| new.contains_key(name));
            let crds = old.iter().filter(|(name, _)| is_gone(name)).map(|(_, crd)| *crd).collect();
            LeftBehind { channel: *channel, crds }
        })
        .filter(|left| !left.crds.is_empty())
        .collect()
}
