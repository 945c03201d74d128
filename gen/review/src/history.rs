//! The history: released bundles, past releases, the tombstone ledger and the waivers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use crd_bundle::{BundleVersion, Release, Released};
use crd_compat::tombstone::{Element, Kind, Ledger, Tombstone};
use crd_compat::{Channels, Declared, Waiver};
use crd_diagnostics::Diagnostic;
use crd_diagnostics::layout::some_of;
use crd_generate::{AnnotatedResource, DeclaredTombstone};
use crd_model::CustomResourceDefinition;

use crate::past::ReleaseNames;

/// The file of the tombstone ledger, relative to the root.
pub const LEDGER: &str = "bundles/tombstones.yaml";
/// The history archive, relative to the root.
pub const ARCHIVE: &str = "bundles/history.tar.xz";
/// The file of the waivers, relative to the root.
pub const WAIVERS: &str = "bundles/waivers.yaml";

/// The releases of a workspace.
#[derive(Clone, Debug, Default)]
pub struct Releases {
    /// The bundles in `bundles/`.
    pub bundles: BTreeMap<BundleVersion, Release>,
    /// The releases of the history archive.
    pub archived: BTreeMap<BundleVersion, Release>,
}

impl Releases {
    /// All releases, lowest version first. Of a version that is in both, the bundle counts, because it has texts.
    pub fn all(&self) -> impl Iterator<Item = (BundleVersion, &Release)> {
        let all = self.archived.iter().chain(&self.bundles);
        all.map(|(version, release)| (*version, release)).collect::<BTreeMap<_, _>>().into_iter()
    }

    /// An error for each release whose structure in the archive is not that of its bundle.
    pub fn differing(&self) -> Vec<Diagnostic> {
        let differing = self
            .archived
            .iter()
            .filter_map(|(version, archived)| differing(*version, archived, self.bundles.get(version)?));
        differing.collect()
    }
}

/// The contents of `bundles/`, without unreleased CRDs.
#[derive(Debug, Default)]
pub struct History {
    pub releases: Releases,
    pub ledger: Ledger,
    pub waivers: Vec<Waiver>,
    /// Errors of waivers that cannot be read.
    pub malformed_waivers: Vec<Diagnostic>,
    /// Most commands need none of them.
    names: OnceLock<ReleaseNames>,
}

impl History {
    /// A history of these releases, without a ledger and waivers.
    pub fn new(releases: Releases) -> Self {
        Self { releases, ..Self::default() }
    }

    /// The names of all releases.
    pub fn names(&self) -> &ReleaseNames {
        self.names.get_or_init(|| ReleaseNames::of(self.releases.all()))
    }

    /// The versions of the bundles, lowest first.
    pub fn versions(&self) -> Vec<BundleVersion> {
        self.releases.bundles.keys().copied().collect()
    }

    /// The bundle of a version.
    pub fn bundle(&self, version: BundleVersion) -> Option<&Release> {
        self.releases.bundles.get(&version)
    }

    /// The waivers without those of other bundles in the history, whose changes they explain.
    pub fn waivers_for(&self, candidate: BundleVersion) -> Vec<Waiver> {
        let own = [candidate, candidate.core()];
        let is_past = |waiver: &Waiver| {
            let bundle = waiver.bundle.parse::<BundleVersion>().ok();
            bundle.is_some_and(|bundle| !own.contains(&bundle) && self.bundle(bundle).is_some())
        };
        self.waivers.iter().filter(|waiver| !is_past(waiver)).cloned().collect()
    }

    /// What the ledger and the types declare about removed names.
    pub fn declared(&self, marked: &[Tombstone]) -> Declared {
        let mut declared = declared(self.ledger.entries().iter().chain(marked));
        declared.ever_stored.extend(self.releases.all().flat_map(|(_, release)| stored(&release.channels)));
        declared
    }
}

fn differing(version: BundleVersion, archived: &Release, bundle: &Release) -> Option<Diagnostic> {
    let by_name = |release: &Release| {
        let crds = release.structures().into_iter();
        let crds = crds.flat_map(|(channel, crds)| crds.into_iter().map(move |crd| ((channel, crd.name.clone()), crd)));
        crds.collect::<BTreeMap<_, _>>()
    };
    let (known, archived) = (by_name(bundle), by_name(archived));
    let names = known.keys().chain(archived.keys()).collect::<BTreeSet<_>>().into_iter();
    let differing = names.filter(|name| known.get(*name) != archived.get(*name));
    let differing = differing.map(|(channel, name)| format!("{channel} {name}")).collect::<Vec<_>>();
    differing.first()?;
    let message = format!("{version} differs from the bundle `bundles/{version}`: {}", some_of(&differing, 1));
    let help = format!("write the archive again from the published files of {version}, or restore the bundle");
    Some(Diagnostic::error("history::differs", message).at_file(ARCHIVE).help(help))
}

/// How long a resource must have been deprecated before a minor bundle may drop it, in months and in minors (Kubernetes' deprecation policy
/// for beta APIs).
const DEPRECATED_MONTHS: i32 = 9;
const DEPRECATED_MINORS: usize = 3;

impl History {
    /// The CRDs whose versions have all been deprecated for long enough when a candidate is released, in every channel of every release since
    /// then. `release_date` is called only where it matters.
    pub fn long_deprecated(
        &self,
        candidate: BundleVersion,
        release_date: &dyn Fn() -> Option<Released>,
    ) -> BTreeSet<String> {
        let core = candidate.core();
        let releases = self.releases.all().filter(|(version, _)| version.is_release() && *version < core);
        // The first release from which on a CRD was deprecated without a break.
        let mut since: BTreeMap<String, (BundleVersion, Option<Released>)> = BTreeMap::new();
        for (version, release) in releases {
            let deprecated = deprecated(release);
            since.retain(|name, _| deprecated.contains(name));
            for name in deprecated {
                since.entry(name).or_insert((version, release.released));
            }
        }
        since.retain(|_, (version, _)| self.minors_since(*version, core) >= DEPRECATED_MINORS);
        if since.is_empty() {
            return BTreeSet::new();
        }
        let Some(now) = release_date() else { return BTreeSet::new() };
        // A bundle that does not know when it was released proves nothing.
        since.retain(|_, (_, then)| then.is_some_and(|then| now.is_months_after(then, DEPRECATED_MONTHS)));
        since.into_keys().collect()
    }

    /// The number of minors between a release and a later one: by their numbers, or across major versions by the known releases.
    fn minors_since(&self, from: BundleVersion, to: BundleVersion) -> usize {
        if from.major == to.major {
            return usize::try_from(to.minor.saturating_sub(from.minor)).unwrap_or(usize::MAX);
        }
        let minor = |version: BundleVersion| (version.major, version.minor);
        let between = self.releases.all().map(|(version, _)| version).chain([to]).map(minor);
        between.filter(|between| *between > minor(from) && *between <= minor(to)).collect::<BTreeSet<_>>().len()
    }
}

/// The CRDs that have only deprecated versions.
fn deprecated(release: &Release) -> BTreeSet<String> {
    let crds = release.crds().map(|(_, crd)| crd);
    let current = crds.clone().filter(|crd| crd.versions.iter().any(|version| !version.deprecated));
    let current = current.map(|crd| &*crd.name).collect::<BTreeSet<_>>();
    crds.filter(|crd| !current.contains(&*crd.name)).map(|crd| crd.name.to_string()).collect()
}

pub fn declared<'t>(tombstones: impl IntoIterator<Item = &'t Tombstone>) -> Declared {
    let mut declared = Declared::default();
    for tombstone in tombstones {
        let Element { crd, path, kind, name } = &tombstone.name;
        let place = tombstone.name.place();
        if *kind == Kind::Field {
            declared.renames.had(crd.clone(), path.clone());
        }
        match (kind, &tombstone.replacement) {
            (Kind::Field, Some(new)) => declared.renames.declare(crd, place, name, new),
            (Kind::Value, Some(new)) => declared.replaced_values.declare(crd, place, name, new),
            (Kind::Resource, Some(new)) => drop(declared.moved.insert(crd.clone(), new.clone())),
            (Kind::Version, _) if tombstone.migrated => drop(declared.migrated.insert((crd.clone(), name.clone()))),
            _ => {}
        }
    }
    declared
}

/// The versions that objects are written in.
pub fn stored(channels: &Channels) -> BTreeSet<(String, String)> {
    let of_crd = |crd: &Arc<CustomResourceDefinition>| {
        let stored = crd.versions.iter().filter(|version| version.storage);
        stored.map(|version| (crd.name.to_string(), version.name.to_string())).collect::<Vec<_>>()
    };
    channels.values().flatten().flat_map(of_crd).collect()
}

/// The tombstones that the types declare, as the ledger would have them: by CRD and path, each name once.
pub fn marked(resources: &[AnnotatedResource]) -> Vec<(Tombstone, DeclaredTombstone)> {
    let mut marked: Vec<(Tombstone, DeclaredTombstone)> = Vec::new();
    for resource in resources {
        for declared in resource.tombstones() {
            let tombstone = Tombstone {
                name: Element::at(
                    &resource.crd_name(),
                    if declared.value { Kind::Value } else { Kind::Field },
                    &declared.path,
                    declared.tombstone.name,
                ),
                removed: declared.tombstone.removed.to_owned(),
                reason: declared.tombstone.reason.to_owned(),
                replacement: declared.tombstone.replacement.map(str::to_owned),
                migrated: false,
            };
            // A type is used by several versions.
            if marked.iter().all(|(known, _)| known.name != tombstone.name) {
                marked.push((tombstone, declared));
            }
        }
    }
    marked
}
