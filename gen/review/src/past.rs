//! The names that each release of the history had.
//!
//! Invariants: releases have the order of their versions. The names of a CRD that several releases share are found once.

use std::collections::HashMap;

use crd_bundle::{BundleVersion, Release};
use crd_compat::tombstone::{Element, Inventory, PastBundle, Tombstone};
use crd_model::identity::Identity;
use crd_model::{CustomResourceDefinition, parallel};

/// The names of each release.
#[derive(Debug)]
pub struct ReleaseNames {
    crds: Vec<Inventory>,
    /// The releases, lowest version first.
    releases: Vec<NamesOfRelease>,
}

#[derive(Debug)]
struct NamesOfRelease {
    version: BundleVersion,
    name: String,
    /// The positions of its CRDs.
    crds: Vec<usize>,
    /// The name and digest of each tombstone that it was released with.
    tombstones: Vec<(String, String)>,
}

impl ReleaseNames {
    /// The names of these releases.
    pub(crate) fn of<'r>(releases: impl Iterator<Item = (BundleVersion, &'r Release)>) -> Self {
        let (mut distinct, mut positions) = (Vec::new(), HashMap::new());
        let mut position = |crd| {
            *positions.entry(Identity::<CustomResourceDefinition>(crd)).or_insert_with(|| {
                distinct.push(crd);
                distinct.len() - 1
            })
        };
        let releases = releases.map(|(version, release)| NamesOfRelease {
            version,
            name: version.to_string(),
            crds: release.crds().map(|(_, crd)| position(crd)).collect(),
            tombstones: tombstones(release),
        });
        let releases = releases.collect();
        Self { crds: parallel::each(&distinct, |crd| Inventory::names([*crd])), releases }
    }

    /// The versions of the releases, lowest first.
    pub(crate) fn versions(&self) -> impl ExactSizeIterator<Item = BundleVersion> + DoubleEndedIterator + '_ {
        self.releases.iter().map(|release| release.version)
    }

    /// Whether the release at this position had a name.
    pub(crate) fn has(&self, position: usize, name: &Element) -> bool {
        self.releases.get(position).is_some_and(|release| release.crds.iter().any(|crd| self.crds[*crd].has(name)))
    }

    /// Every name of every release. Names of several releases can be repeated.
    pub fn all(&self) -> impl Iterator<Item = &Element> {
        self.crds.iter().flat_map(Inventory::iter)
    }

    /// The releases for the check of tombstones.
    pub(crate) fn past(&self) -> Vec<PastBundle<'_>> {
        let past = self.releases.iter().map(|release| PastBundle {
            bundle: &release.name,
            crds: release.crds.iter().map(|crd| &self.crds[*crd]).collect(),
            tombstones: &release.tombstones,
        });
        past.collect()
    }

    /// Whether a release was made with this entry of the ledger.
    pub(crate) fn has_released(&self, tombstone: &Tombstone) -> bool {
        let entry = (tombstone.name.to_string(), tombstone.digest());
        self.releases.iter().any(|release| release.tombstones.contains(&entry))
    }
}

/// The digests of tombstones in a manifest.
fn tombstones(release: &Release) -> Vec<(String, String)> {
    let ledger = release.manifest.as_ref().and_then(|manifest| manifest.tombstones.as_ref());
    let entries = ledger.map(|ledger| ledger.entries.as_slice()).unwrap_or_default();
    entries.iter().map(|entry| (entry.id.clone(), entry.sha256.to_string())).collect()
}
