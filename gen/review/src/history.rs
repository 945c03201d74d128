//! The history: released bundles, past releases, the tombstone ledger and the waivers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use crd_bundle::history_archive::{PastRelease, structure};
use crd_bundle::manifest::BundleManifest;
use crd_bundle::published::Origin;
use crd_bundle::published::choice::LeftOut;
use crd_bundle::{BundleVersion, Digest, Released};
use crd_compat::tombstone::{Kind, Ledger, PastBundle, Tombstone, WireName};
use crd_compat::{Channels, Declared, Waiver};
use crd_convert::Lens;
use crd_diagnostics::Diagnostic;
use crd_diagnostics::layout::some_of;
use crd_generate::{AnnotatedResource, DeclaredTombstone};
use crd_model::channel::Channel;
use crd_model::constants::Constants;
use crd_model::{CustomResourceDefinition, parallel};

use crate::laws::Release;
use crate::past::{KnownRelease, ReleaseNames};

/// The file of the tombstone ledger, relative to the root.
pub const LEDGER: &str = "bundles/tombstones.yaml";
/// The history archive, relative to the root.
pub const ARCHIVE: &str = "bundles/history.tar.xz";
/// The file of the waivers, relative to the root.
pub const WAIVERS: &str = "bundles/waivers.yaml";

/// A bundle of the history, or one that the user names.
#[derive(Debug)]
pub struct Bundle {
    /// As the user named it.
    pub name: String,
    /// Its version: by its folder, its manifest, or the stamps that all CRDs of its largest project agree on.
    pub version: Option<BundleVersion>,
    /// Its manifest, if it has one.
    pub manifest: Option<BundleManifest>,
    /// The digest of the manifest's file.
    pub manifest_digest: Option<Digest>,
    /// Its recommended condition types and reasons, if it lists them.
    pub constants: Option<Constants>,
    /// The lenses that it was published with.
    pub lenses: Vec<Lens>,
    /// Its CRDs by channel.
    pub channels: Channels,
    /// Whether stamps, folders or the user name a channel. CRDs of other projects have none.
    pub has_channels: bool,
    /// Where each of them comes from, in the same order.
    pub origins: BTreeMap<Channel, Vec<Origin>>,
    /// Files and CRDs that were left out, and what of a layout is not applied.
    pub left_out: Vec<LeftOut>,
    /// What servers would leave out of the CRDs, and other warnings about their files.
    pub warnings: Vec<Diagnostic>,
}

impl Bundle {
    /// A bundle without CRDs.
    pub fn empty(name: String) -> Self {
        Self {
            name,
            version: None,
            manifest: None,
            manifest_digest: None,
            constants: None,
            lenses: Vec::new(),
            channels: BTreeMap::new(),
            has_channels: true,
            origins: BTreeMap::new(),
            left_out: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Its version, or a clause why it is unknown.
    ///
    /// # Errors
    /// The version is unknown.
    pub fn known_version(&self) -> Result<BundleVersion, String> {
        self.version.ok_or_else(|| {
            let name = &self.name;
            let stamps = self.crds().filter_map(|(_, _, origin)| origin.stamps.version.as_ref());
            let texts = stamps.map(|stamp| &*stamp.text).collect::<BTreeSet<_>>();
            match texts.iter().find(|text| text.parse::<BundleVersion>().is_err()) {
                Some(text) => format!("the version `{text}` of `{name}` is not a semantic version such as v1.2.3"),
                None if texts.len() > 1 => format!("the CRDs of `{name}` have different versions"),
                None => format!("the version of `{name}` is unknown"),
            }
        })
    }

    /// The CRDs and versions in which the cluster that the CRDs come from stores objects.
    pub fn stored_in_cluster(&self) -> impl Iterator<Item = (String, String)> {
        let of_crd = |(_, crd, origin): (Channel, &CustomResourceDefinition, &Origin)| {
            let name = crd.name.to_string();
            origin.stored_versions.iter().map(|version| (name.clone(), version.clone())).collect::<Vec<_>>()
        };
        self.crds().flat_map(of_crd)
    }

    /// The CRDs with their channels, and where they come from.
    pub fn crds(&self) -> impl Iterator<Item = (Channel, &CustomResourceDefinition, &Origin)> {
        self.channels.iter().flat_map(|(channel, crds)| {
            let origins = self.origins.get(channel).into_iter().flatten();
            crds.iter().zip(origins).map(|(crd, origin)| (*channel, crd, origin))
        })
    }
}

/// The contents of `bundles/`, without unreleased CRDs.
#[derive(Debug, Default)]
pub struct History {
    /// The bundles, lowest version first.
    pub bundles: Vec<(BundleVersion, Bundle)>,
    /// The ledger.
    pub ledger: Ledger,
    /// The waivers.
    pub waivers: Vec<Waiver>,
    /// Errors of waivers that cannot be read.
    pub malformed_waivers: Vec<Diagnostic>,
    /// The digests of tombstones that each bundle's manifest carries.
    digests: BTreeMap<BundleVersion, Vec<(String, String)>>,
    /// The releases of the history archive that are not bundles.
    past: Vec<PastRelease>,
    /// Most commands need none of them.
    names: OnceLock<ReleaseNames>,
}

impl History {
    /// Adds a bundle. Bundles are added from the lowest version to the highest.
    pub fn add(&mut self, version: BundleVersion, bundle: Bundle) {
        self.digests.insert(version, digests(&bundle));
        self.bundles.push((version, bundle));
        self.forget_names();
    }

    fn forget_names(&mut self) {
        self.names = OnceLock::new();
    }

    /// The names of all releases.
    pub fn names(&self) -> &ReleaseNames {
        self.names.get_or_init(|| ReleaseNames::of(&self.releases()))
    }

    /// The versions of the bundles, lowest first.
    pub fn versions(&self) -> Vec<BundleVersion> {
        self.bundles.iter().map(|(version, _)| *version).collect()
    }

    /// The bundle of a version.
    pub fn bundle(&self, version: BundleVersion) -> Option<&Bundle> {
        self.bundles.iter().find(|(known, _)| *known == version).map(|(_, bundle)| bundle)
    }

    /// The releases for the check of tombstones.
    pub fn past(&self) -> Vec<PastBundle<'_>> {
        self.names().past(|version| self.digests.get(&version).map(Vec::as_slice).unwrap_or_default())
    }

    /// Whether a bundle was released with this entry of the ledger.
    pub fn has_released(&self, tombstone: &Tombstone) -> bool {
        let entry = (tombstone.name.to_string(), tombstone.digest());
        self.digests.values().any(|entries| entries.contains(&entry))
    }

    /// What the ledger and the types declare about removed names.
    pub fn declared(&self, marked: &[Tombstone]) -> Declared {
        let mut declared = declared(self.ledger.entries().iter().chain(marked));
        declared.ever_stored.extend(self.releases().iter().flat_map(|release| stored_by(release.crds.iter().copied())));
        declared
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
        let bundles = self.bundles.iter().map(|(version, bundle)| KnownRelease {
            version: *version,
            released: bundle.manifest.as_ref().and_then(|manifest| manifest.released),
            crds: bundle.channels.values().flatten().collect(),
        });
        let past = self.past.iter().map(|past| KnownRelease {
            version: past.version,
            released: Some(past.released),
            crds: past.channels.values().flatten().map(|crd| &**crd).collect(),
        });
        let mut releases = bundles.chain(past).collect::<Vec<_>>();
        releases.sort_by_key(|release| release.version);
        releases
    }
}

impl History {
    /// The versions of all releases, lowest first.
    pub(crate) fn versions_of_releases(&self) -> Vec<BundleVersion> {
        self.releases().iter().map(|release| release.version).collect()
    }

    /// Releases with the channels of their CRDs, lowest version first. Pre-releases are left out.
    pub(crate) fn with_channels(&self, versions: &[BundleVersion]) -> Vec<Release<'_>> {
        let release = |version: &BundleVersion| {
            let of_bundle = self.bundle(*version).into_iter().flat_map(|bundle| &bundle.channels);
            let of_bundle = of_bundle.flat_map(|(channel, crds)| crds.iter().map(|crd| (*channel, crd)));
            let past = self.past.iter().find(|past| past.version == *version).into_iter();
            let past = past.flat_map(|past| &past.channels);
            let of_past = past.flat_map(|(channel, crds)| crds.iter().map(|crd| (*channel, &**crd)));
            Some(Release { version: version.to_string().parse().ok()?, crds: of_bundle.chain(of_past).collect() })
        };
        versions.iter().filter_map(release).collect()
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
    let differing = names.iter().zip(differs).filter(|(_, differs)| *differs);
    let differing = differing.map(|((channel, name), _)| format!("{channel} {name}")).collect::<Vec<_>>();
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
        let releases = self.releases().into_iter();
        let releases = releases.filter(|release| release.version.is_release() && release.version < core);
        // The first release from which on a CRD was deprecated without a break.
        let mut since: BTreeMap<String, (BundleVersion, Option<Released>)> = BTreeMap::new();
        for release in releases {
            let deprecated = deprecated(&release.crds);
            since.retain(|name, _| deprecated.contains(name));
            for name in deprecated {
                since.entry(name).or_insert((release.version, release.released));
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
        let between = self.releases().into_iter().map(|release| release.version).chain([to]).map(minor);
        between.filter(|between| *between > minor(from) && *between <= minor(to)).collect::<BTreeSet<_>>().len()
    }
}

/// The CRDs that have only deprecated versions.
fn deprecated(crds: &[&CustomResourceDefinition]) -> BTreeSet<String> {
    let is_deprecated = |crd: &CustomResourceDefinition| crd.versions.iter().all(|version| version.deprecated);
    let current = crds.iter().filter(|crd| !is_deprecated(crd)).map(|crd| &*crd.name).collect::<BTreeSet<_>>();
    crds.iter().filter(|crd| !current.contains(&*crd.name)).map(|crd| crd.name.to_string()).collect()
}

/// What tombstones declare.
pub fn declared<'t>(tombstones: impl IntoIterator<Item = &'t Tombstone>) -> Declared {
    let mut declared = Declared::default();
    for tombstone in tombstones {
        let WireName { crd, kind, path, name } = &tombstone.name;
        if *kind == Kind::Field {
            declared.renames.had(crd.clone(), tombstone.name.whole_path());
        }
        match (kind, &tombstone.replacement) {
            (Kind::Field, Some(new)) => declared.renames.declare(crd, path, name, new),
            (Kind::Value, Some(new)) => declared.replaced_values.declare(crd, path, name, new),
            (Kind::Resource, Some(new)) => drop(declared.moved.insert(crd.clone(), new.clone())),
            (Kind::Version, _) if tombstone.migrated => drop(declared.migrated.insert((crd.clone(), name.clone()))),
            _ => {}
        }
    }
    declared
}

/// The versions that objects are written in.
pub fn stored(channels: &Channels) -> BTreeSet<(String, String)> {
    stored_by(channels.values().flatten())
}

/// The same of these CRDs.
pub fn stored_by<'c>(crds: impl Iterator<Item = &'c CustomResourceDefinition>) -> BTreeSet<(String, String)> {
    crds.flat_map(|crd| {
        let stored = crd.versions.iter().filter(|version| version.storage);
        stored.map(|version| (crd.name.to_string(), version.name.to_string()))
    })
    .collect()
}

/// The digests of tombstones in a manifest.
fn digests(bundle: &Bundle) -> Vec<(String, String)> {
    let ledger = bundle.manifest.as_ref().and_then(|manifest| manifest.tombstones.as_ref());
    let entries = ledger.map(|ledger| ledger.entries.as_slice()).unwrap_or_default();
    entries.iter().map(|entry| (entry.id.clone(), entry.sha256.to_string())).collect()
}

/// The tombstones that the types declare, as the ledger would have them: by CRD and path, each name once.
pub fn marked(resources: &[AnnotatedResource]) -> Vec<(Tombstone, DeclaredTombstone)> {
    let mut marked: Vec<(Tombstone, DeclaredTombstone)> = Vec::new();
    for resource in resources {
        for declared in resource.tombstones() {
            let tombstone = Tombstone {
                name: WireName {
                    crd: resource.crd_name(),
                    kind: if declared.value { Kind::Value } else { Kind::Field },
                    path: declared.path.clone(),
                    name: declared.tombstone.name.to_owned(),
                },
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

/// The CRDs of a candidate that was generated, by channel. A channel may have none.
pub fn channels_of(
    channels: &[Channel],
    crds: impl IntoIterator<Item = (Channel, crd_model::CustomResourceDefinition)>,
) -> Channels {
    let mut channels: Channels = channels.iter().map(|channel| (*channel, Vec::new())).collect();
    for (channel, crd) in crds {
        channels.entry(channel).or_default().push(crd);
    }
    channels
}
