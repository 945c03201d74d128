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
    /// The channels in which it is so.
    pub(super) channels: BTreeSet<Channel>,
    pub(super) what: What,
}

/// What has to be done.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum What {
    /// Objects are stored in another version than before: they should be written again, after the upgrade.
    Moves {
        /// The version before.
        from: String,
        /// The version now.
        to: String,
    },
    /// Versions are gone: nothing may be stored in them any more, before the upgrade.
    Goes {
        /// The versions.
        versions: Vec<String>,
        /// What objects were stored in before.
        from: String,
    },
}

/// What has to be done about which resource, those before the upgrade first.
pub(super) fn stored<'a>(bundles: &Bundles<'a>) -> Vec<Stored<'a>> {
    let mut found: Vec<Stored<'a>> = Vec::new();
    for (channel, crds) in &bundles.new {
        for (name, crd) in crds {
            let Some(old) = bundles.in_old(*channel, name) else { continue };
            for what in of(old, crd) {
                match found.iter_mut().find(|known| known.crd.name == crd.name && known.what == what) {
                    Some(known) => {
                        known.channels.insert(*channel);
                    }
                    None => found.push(Stored { crd, channels: BTreeSet::from([*channel]), what }),
                }
            }
        }
    }
    found.sort_by(|left, right| (&left.what, &left.crd.name).cmp(&(&right.what, &right.crd.name)));
    found.sort_by_key(|stored| matches!(stored.what, What::Moves { .. }));
    found
}

fn of(old: &CustomResourceDefinition, new: &CustomResourceDefinition) -> Vec<What> {
    let mut found = Vec::new();
    let (Some(from), Some(to)) = (stored_in(old), stored_in(new)) else { return found };
    let gone = old.versions.iter().filter(|known| version(new, &known.name).is_none());
    let gone = gone.map(|version| version.name.to_string()).collect::<Vec<_>>();
    if from.name != to.name && !gone.contains(&from.name.to_string()) {
        found.push(What::Moves { from: from.name.to_string(), to: to.name.to_string() });
    }
    if !gone.is_empty() {
        found.push(What::Goes { versions: gone, from: from.name.to_string() });
    }
    found
}
