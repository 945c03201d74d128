//! Releases of the history, bundles or past releases, and the names that each of them had.
//!
//! Invariants: releases have the order of their versions. The names of a CRD that several releases share are found once.

use std::collections::BTreeMap;

use crd_bundle::{BundleVersion, Released};
use crd_compat::tombstone::{CrdNames, PastBundle, WireName};
use crd_model::{CustomResourceDefinition, parallel};

/// A release of the history.
pub(crate) struct KnownRelease<'h> {
    pub(crate) version: BundleVersion,
    /// Its release date, if it is known.
    pub(crate) released: Option<Released>,
    /// Its CRDs, of all channels.
    pub(crate) crds: Vec<&'h CustomResourceDefinition>,
}

/// The names of each release.
#[derive(Debug)]
pub struct ReleaseNames {
    /// Each CRD once.
    crds: Vec<CrdNames>,
    /// The releases, lowest version first.
    releases: Vec<NamesOfRelease>,
}

#[derive(Debug)]
struct NamesOfRelease {
    version: BundleVersion,
    name: String,
    /// The positions of its CRDs.
    crds: Vec<usize>,
}

impl ReleaseNames {
    /// The names of these releases.
    pub(crate) fn of(releases: &[KnownRelease<'_>]) -> Self {
        let (mut distinct, mut positions) = (Vec::new(), BTreeMap::new());
        let mut position = |crd| {
            *positions.entry(std::ptr::from_ref::<CustomResourceDefinition>(crd)).or_insert_with(|| {
                distinct.push(crd);
                distinct.len() - 1
            })
        };
        let releases = releases.iter().map(|release| NamesOfRelease {
            version: release.version,
            name: release.version.to_string(),
            crds: release.crds.iter().map(|crd| position(*crd)).collect(),
        });
        let releases = releases.collect();
        Self { crds: parallel::each(&distinct, |crd| CrdNames::of(crd)), releases }
    }

    /// The versions of the releases, lowest first.
    pub(crate) fn versions(&self) -> impl ExactSizeIterator<Item = BundleVersion> + DoubleEndedIterator + '_ {
        self.releases.iter().map(|release| release.version)
    }

    /// Whether the release at this position had a name.
    pub(crate) fn has(&self, position: usize, name: &WireName) -> bool {
        self.releases.get(position).is_some_and(|release| release.crds.iter().any(|crd| self.crds[*crd].has(name)))
    }

    /// Every name of every release. Names of several releases can be repeated.
    pub fn all(&self) -> impl Iterator<Item = &WireName> {
        self.crds.iter().flat_map(CrdNames::iter)
    }

    /// The releases for the check of tombstones, with the tombstones of those that are bundles.
    pub(crate) fn past<'h>(
        &'h self,
        tombstones: impl Fn(BundleVersion) -> &'h [(String, String)],
    ) -> Vec<PastBundle<'h>> {
        let past = self.releases.iter().map(|release| PastBundle {
            bundle: &release.name,
            crds: release.crds.iter().map(|crd| &self.crds[*crd]).collect(),
            tombstones: tombstones(release.version),
        });
        past.collect()
    }
}
