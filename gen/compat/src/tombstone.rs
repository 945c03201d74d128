//! Tombstones: names that were removed, and must never return.
//!
//! A removed field's value stays in storage, unseen, and reappears when the name returns, even with a type that the new schema would refuse.
//! So every name that any bundle ever had and that is gone has a tombstone, and a name with a tombstone never comes back.
//!
//! Fed with the ledger, with every bundle of the history, with what the types say (`+tombstone` markers), and with the candidate. Read by
//! `check`, by `tombstones`, and by the release.
//!
//! Invariants:
//! * Names are those on the wire: by CRD and path, over all API versions and channels together. So it does not matter how a type is called
//!   in Rust, where it stands, or which channel has the name.
//! * A tombstone covers everything that stood below its name.
//! * A value is not gone from where any value is taken now.

mod cover;
mod entry;
mod file;
mod history;

use std::collections::{BTreeMap, BTreeSet};

pub use entry::{KINDS, Kind, Ledger, Tombstone, WireName};
pub use history::{names, names_of};

use crate::comparison::Channels;
use cover::Cover;
use history::open_places;

/// What is wrong with names that went or came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// A name that some bundle had is gone, and has no tombstone.
    Missing {
        /// The name.
        name: WireName,
        /// The last bundle that had it, in words.
        last: String,
    },
    /// The types say that it was removed, and the ledger does not.
    Unrecorded(Tombstone),
    /// A name with a tombstone is there.
    Returned(Tombstone),
    /// A tombstone of an earlier bundle's ledger is gone.
    Lost {
        /// The name, as that bundle wrote it.
        id: String,
        /// The bundle.
        bundle: String,
    },
    /// A tombstone of an earlier bundle's ledger says something else now.
    Altered {
        /// The name.
        id: String,
        /// The bundle.
        bundle: String,
    },
}

/// A bundle of the history: what it is called, what it had, and the digests of the tombstones as they were.
pub struct Past<'a> {
    /// In words: `v1.4.0`.
    pub bundle: &'a str,
    /// Its CRDs.
    pub channels: &'a Channels,
    /// The name and digest of each tombstone of its ledger, if it says so.
    pub tombstones: &'a [(String, String)],
}

/// Everything that is wrong with names, by kind and name.
///
/// `marked` are the tombstones that the types declare. The history is given from the oldest bundle to the newest.
pub fn wrongs(history: &[Past<'_>], candidate: &Channels, ledger: &Ledger, marked: &[Tombstone]) -> Vec<Wrong> {
    let mut wrongs = Vec::new();
    let present = names_of(candidate);
    let mut gone: BTreeMap<WireName, &str> = BTreeMap::new();
    for past in history {
        for name in names_of(past.channels) {
            gone.insert(name, past.bundle);
        }
    }
    let open = open_places(candidate);
    gone.retain(|name, _| {
        let still_taken = name.kind == Kind::Value && open.contains(&(name.crd.clone(), name.path.clone()));
        !present.contains(name) && !still_taken
    });
    let recorded = Cover::of(ledger.entries().iter().map(|tombstone| &tombstone.name));
    let declared = Cover::of(marked.iter().map(|tombstone| &tombstone.name));
    let all_gone = Cover::of(gone.keys());
    for (name, last) in &gone {
        let buried = [&recorded, &declared].iter().any(|cover| cover.has(name) || cover.is_above(name));
        // What stands below a name that is gone goes with it, and needs no tombstone of its own.
        if !buried && !all_gone.is_above(name) {
            wrongs.push(Wrong::Missing { name: name.clone(), last: (*last).to_owned() });
        }
    }
    let unrecorded = marked.iter().filter(|tombstone| !recorded.has(&tombstone.name)).collect::<Vec<_>>();
    wrongs.extend(unrecorded.iter().map(|tombstone| Wrong::Unrecorded((*tombstone).clone())));
    let here = Cover::of(&present);
    for tombstone in ledger.entries().iter().chain(unrecorded) {
        if here.has(&tombstone.name) {
            wrongs.push(Wrong::Returned(tombstone.clone()));
        }
    }
    let now = ledger.digests().into_iter().collect::<BTreeMap<_, _>>();
    let mut told = BTreeSet::new();
    for past in history {
        for (id, digest) in past.tombstones {
            let known = now.get(id);
            // Once for each name: every later bundle says the same.
            if known == Some(digest) || !told.insert(id) {
                continue;
            }
            let (id, bundle) = (id.clone(), past.bundle.to_owned());
            wrongs.push(match known {
                None => Wrong::Lost { id, bundle },
                Some(_) => Wrong::Altered { id, bundle },
            });
        }
    }
    wrongs
}
