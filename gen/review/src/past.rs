//! All releases of the history: the bundles, and the releases of the history archive; and the names that each of them had.
//!
//! Invariants: of a version that both have, the bundle counts. Releases have the order of their versions. The names of a CRD that several
//! releases share are found once.

use std::collections::{BTreeMap, BTreeSet};

use crd_bundle::history_archive::{PastRelease, structure};
use crd_bundle::{BundleVersion, Released};
use crd_compat::tombstone::{CrdNames, PastBundle, WireName};
use crd_diagnostics::Diagnostic;
use crd_model::{CustomResourceDefinition, parallel};

use crate::history::{ARCHIVE, Bundle, History};

/// A release of the history.
pub(crate) struct KnownRelease<'h> {
    pub(crate) version: BundleVersion,
    /// Its release date, if it is known.
    pub(crate) released: Option<Released>,
    /// Its CRDs, of all channels.
    pub(crate) crds: Vec<&'h CustomResourceDefinition>,
}

impl<'h> KnownRelease<'h> {
    fn of_bundle(version: BundleVersion, bundle: &'h Bundle) -> Self {
        let released = bundle.manifest.as_ref().and_then(|manifest| manifest.released);
        Self { version, released, crds: bundle.channels.values().flatten().collect() }
    }

    fn of_archive(past: &'h PastRelease) -> Self {
        let crds = past.channels.values().flatten().map(|crd| &**crd);
        Self { version: past.version, released: Some(past.released), crds: crds.collect() }
    }
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

impl History {
    /// Adds the releases of the history archive, after all bundles. Of a version that is a bundle, the bundle counts. Of other versions, outlines
    /// are enough.
    ///
    /// # Errors
    /// The archive and a bundle of the same version differ in structure.
    pub fn add_past(&mut self, releases: Vec<PastRelease>) -> Result<(), Vec<Diagnostic>> {
        let (same, only): (Vec<_>, Vec<_>) =
            releases.into_iter().partition(|release| self.bundle(release.version).is_some());
        let differing = same.iter().filter_map(|past| differing(past, self.bundle(past.version)?));
        let differing = differing.collect::<Vec<_>>();
        self.past = only;
        self.forget_names();
        if differing.is_empty() { Ok(()) } else { Err(differing) }
    }

    /// All releases, lowest version first.
    pub(crate) fn releases(&self) -> Vec<KnownRelease<'_>> {
        let bundles = self.bundles.iter().map(|(version, bundle)| KnownRelease::of_bundle(*version, bundle));
        let mut releases = bundles.chain(self.past.iter().map(KnownRelease::of_archive)).collect::<Vec<_>>();
        releases.sort_by_key(|release| release.version);
        releases
    }
}

/// The error for a release whose structure in the archive is not that of its bundle.
fn differing(past: &PastRelease, bundle: &Bundle) -> Option<Diagnostic> {
    let version = past.version;
    let crds = past.channels.iter().flat_map(|(channel, crds)| crds.iter().map(|crd| (*channel, &**crd)));
    let known = bundle.crds().map(|(channel, crd, _)| ((channel, &*crd.name), crd)).collect::<BTreeMap<_, _>>();
    let crds = crds.map(|(channel, crd)| ((channel, &*crd.name), crd)).collect::<BTreeMap<_, _>>();
    let names = known.keys().chain(crds.keys()).copied().collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>();
    let differs = parallel::each(&names, |name| match (known.get(name), crds.get(name)) {
        (Some(known), Some(crd)) => structure(known) != **crd,
        _ => true,
    });
    let mut differing = names
        .iter()
        .zip(differs)
        .filter(|(_, differs)| *differs)
        .map(|((channel, name), _)| format!("{channel} {name}"));
    let first = differing.next()?;
    let more = match differing.count() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let message = format!("{version} differs from the bundle `bundles/{version}`: {first}{more}");
    let help = format!("write the archive again from the published files of {version}, or restore the bundle");
    Some(Diagnostic::error("history::differs", message).at_file(ARCHIVE).help(help))
}
