//! Stored objects: what installers have to do when the storage version changes, or when a version is removed in which objects may be stored.
//!
//! A server keeps an object in the version that it was written in, and lists every version that it ever stored in the CRD's
//! `status.storedVersions`. It refuses a CRD that lacks a version of this list.

use std::collections::BTreeSet;

use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;

use super::bundles::{Bundles, stored_in, version};

/// A resource whose stored objects need attention.
pub(super) struct Stored<'a> {
    /// The CRD in the release.
    pub(super) crd: &'a CustomResourceDefinition,
    /// The channels with this change.
    pub(super) channels: BTreeSet<Channel>,
    pub(super) change: StorageChange,
}

/// A change that affects stored objects.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum StorageChange {
    /// Objects are stored in another version than before: write them again after the upgrade.
    Moved { from: String, to: String },
    /// Versions are removed: before the upgrade, no object may be stored in them.
    Removed {
        versions: Vec<String>,
        /// The previous storage version.
        from: String,
    },
}

/// The resources with such changes; first the changes that need work before the upgrade.
pub(super) fn stored<'a>(bundles: &Bundles<'a>) -> Vec<Stored<'a>> {
    let mut found: Vec<Stored<'a>> = Vec::new();
    for (channel, crds) in &bundles.new {
        for (name, crd) in crds {
            let Some(old) = bundles.in_old(*channel, name) else { continue };
            for change in of(old, crd) {
                match found.iter_mut().find(|other| other.crd.name == crd.name && other.change == change) {
                    Some(other) => {
                        other.channels.insert(*channel);
                    }
                    None => found.push(Stored { crd, channels: BTreeSet::from([*channel]), change }),
                }
            }
        }
    }
    found.sort_by(|left, right| (&left.change, &left.crd.name).cmp(&(&right.change, &right.crd.name)));
    found.sort_by_key(|stored| matches!(stored.change, StorageChange::Moved { .. }));
    found
}

fn of(old: &CustomResourceDefinition, new: &CustomResourceDefinition) -> Vec<StorageChange> {
    let mut found = Vec::new();
    let (Some(from), Some(to)) = (stored_in(old), stored_in(new)) else { return found };
    let removed = old.versions.iter().filter(|other| version(new, &other.name).is_none());
    let removed = removed.map(|version| version.name.to_string()).collect::<Vec<_>>();
    if from.name != to.name && !removed.contains(&from.name.to_string()) {
        found.push(StorageChange::Moved { from: from.name.to_string(), to: to.name.to_string() });
    }
    if !removed.is_empty() {
        found.push(StorageChange::Removed { versions: removed, from: from.name.to_string() });
    }
    found
}
