//! Tombstones: names that were removed, and must never return.
//!
//! The value of a removed field stays stored and hidden. It reappears when the name returns, even with a type that the new schema would
//! refuse. So every removed name of any bundle has a tombstone, and a name with a tombstone never returns.
//!
//! Invariants:
//! * Names are wire names: by CRD and path, over all API versions and channels together. The name and the module of the Rust type do not
//!   matter, and neither does the channel.
//! * A tombstone covers everything below its name.
//! * An enum value is not removed where the candidate accepts any value.

mod cover;
mod entry;
mod file;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crd_model::Channels;
use crd_model::identity::Identity;
use crd_model::schema::path::text;
use crd_model::schema::walk;

pub use crd_model::inventory::{Element, Inventory, Kind};
pub use entry::{Ledger, Tombstone};

use cover::Cover;

/// A name and a ledger that contradict each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LedgerProblem {
    /// A removed name of some bundle has no tombstone.
    Missing {
        name: Element,
        /// The last bundle that had it, in words.
        last: String,
    },
    /// The types declare a tombstone that the ledger does not have.
    Unrecorded(Tombstone),
    /// The candidate has a name with a tombstone.
    Returned(Tombstone),
    /// The ledger does not have a tombstone of an earlier bundle's ledger.
    Lost {
        /// The name, as in that bundle.
        id: String,
        bundle: String,
    },
    /// A tombstone differs from the one in an earlier bundle's ledger.
    Altered { id: String, bundle: String },
}

/// A bundle of the history.
pub struct PastBundle<'a> {
    /// In words: `v1.4.0`.
    pub bundle: &'a str,
    /// The names of its CRDs, of all channels. A CRD that several bundles share is the same value.
    pub crds: Vec<&'a Inventory>,
    /// The name and digest of each tombstone of its ledger, as its manifest records them.
    pub tombstones: &'a [(String, String)],
}

/// The names of all channels together.
pub fn names(channels: &Channels) -> Inventory {
    Inventory::names(channels.values().flatten().map(|crd| &**crd))
}

/// All contradictions between names and the ledger, by kind and name.
///
/// `marked` are the tombstones that the types declare. The history is given from the oldest bundle to the newest.
pub fn ledger_problems(
    history: &[PastBundle<'_>],
    candidate: &Channels,
    ledger: &Ledger,
    marked: &[Tombstone],
) -> Vec<LedgerProblem> {
    let mut problems = Vec::new();
    let present = names(candidate);
    let mut removed: BTreeMap<&Element, &str> = BTreeMap::new();
    // Newest first: the last bundle that had a name counts, and what bundles share is looked at once.
    let mut seen = HashSet::new();
    for past in history.iter().rev() {
        let new = past.crds.iter().filter(|crd| seen.insert(Identity::<Inventory>(crd)));
        for name in new.flat_map(|crd| crd.iter()).filter(|name| !present.has(name)) {
            removed.entry(name).or_insert(past.bundle);
        }
    }
    let open = paths_without_enum(candidate);
    removed.retain(|name, _| name.kind != Kind::Value || !open.contains(&(name.crd.clone(), name.path.clone())));
    let recorded = Cover::of(ledger.entries().iter().map(|tombstone| &tombstone.name));
    let declared = Cover::of(marked.iter().map(|tombstone| &tombstone.name));
    let all_removed = Cover::of(removed.keys().copied());
    let mut removed = removed.into_iter().collect::<Vec<_>>();
    removed.sort_by_key(|(name, _)| (&name.crd, name.kind, name.place(), &name.name));
    for (name, last) in &removed {
        let buried = [&recorded, &declared].iter().any(|cover| cover.has(name) || cover.is_above(name));
        // A name below a removed name needs no tombstone of its own.
        if !buried && !all_removed.is_above(name) {
            problems.push(LedgerProblem::Missing { name: (*name).clone(), last: (*last).to_owned() });
        }
    }
    let unrecorded = marked.iter().filter(|tombstone| !recorded.has(&tombstone.name)).collect::<Vec<_>>();
    problems.extend(unrecorded.iter().map(|tombstone| LedgerProblem::Unrecorded((*tombstone).clone())));
    let cover = Cover::of(present.iter());
    for tombstone in ledger.entries().iter().chain(unrecorded) {
        if cover.has(&tombstone.name) {
            problems.push(LedgerProblem::Returned(tombstone.clone()));
        }
    }
    let now = ledger.digests().into_iter().collect::<BTreeMap<_, _>>();
    let mut reported = BTreeSet::new();
    for past in history {
        for (id, digest) in past.tombstones {
            let recorded_digest = now.get(id);
            // Once for each name: later bundles have the same entry.
            if recorded_digest == Some(digest) || !reported.insert(id) {
                continue;
            }
            let (id, bundle) = (id.clone(), past.bundle.to_owned());
            problems.push(match recorded_digest {
                None => LedgerProblem::Lost { id, bundle },
                Some(_) => LedgerProblem::Altered { id, bundle },
            });
        }
    }
    problems
}

/// The CRDs and paths that accept any value in some channel and version. No enum value counts as removed there.
fn paths_without_enum(channels: &Channels) -> BTreeSet<(String, String)> {
    let mut open = BTreeSet::new();
    for crd in channels.values().flatten() {
        for version in &crd.versions {
            walk(&version.schema, &mut |steps, node| {
                if node.enumeration.is_none() {
                    open.insert((crd.name.to_string(), text(steps)));
                }
            });
        }
    }
    open
}
