//! The history: every bundle under `bundles/`, the ledger of tombstones, and the waivers.
//!
//! Fed with the root. Read by `check`, `diff`, `tombstones` and the release.
//!
//! Invariants: what is committed is never altered: a file whose digest is not the one in its bundle's manifest is told. A waiver that
//! cannot be understood waives nothing, and is told with what was found; a ledger that cannot be understood ends everything.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crd_bundle::{BundleVersion, Released, manifest};
use crd_channels::channel::Channel;
use crd_compat::tombstone::{Kind, Ledger, PastBundle, Tombstone, WireName};
use crd_compat::{Channels, Declared, RecordFault, Waiver};
use crd_generate::{AnnotatedResource, DeclaredTombstone};

use crate::file;
use crate::session::Session;
use crate::source::{BUNDLES, Source, open_version, regular_text, released};
use crd_diagnostics::Diagnostic;

/// The name of the ledger's file.
const LEDGER: &str = "tombstones.yaml";
/// The name of the waivers' file.
const WAIVERS: &str = "waivers.yaml";

/// Everything under `bundles/` but what is unreleased.
#[derive(Debug, Default)]
pub(crate) struct History {
    /// The bundles, lowest version first.
    pub(crate) bundles: Vec<(BundleVersion, Source)>,
    /// The ledger.
    pub(crate) ledger: Ledger,
    /// The waivers.
    pub(crate) waivers: Vec<Waiver>,
    /// What of their file cannot be understood.
    pub(crate) malformed_waivers: Vec<RecordFault>,
    /// The digests of tombstones that each bundle's manifest carries.
    digests: Vec<Vec<(String, String)>>,
    names: Vec<String>,
}

/// The file of the ledger.
pub(crate) fn ledger_path(root: &Path) -> PathBuf {
    root.join(BUNDLES).join(LEDGER)
}

/// The file of the waivers.
pub(crate) fn waivers_path(root: &Path) -> PathBuf {
    root.join(BUNDLES).join(WAIVERS)
}

fn is_version(text: &str) -> bool {
    text.parse::<BundleVersion>().is_ok()
}

/// The text of a file that need not be there.
pub(crate) fn text_if_there(path: &Path) -> Result<Option<String>, Diagnostic> {
    regular_text(path)
}

/// The text of the ledger or the waivers, which need not be there. Not through a symlink: git commits where that leads, and not what is
/// there.
pub(crate) fn recorded(path: &Path) -> Result<Option<String>, Diagnostic> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => {
            let problem = file::problem("file::kind", path, "is a symlink, so git would not commit its content");
            Err(problem.help("replace it with the file itself"))
        }
        _ => regular_text(path),
    }
}

/// The ledger alone.
pub(crate) fn ledger(root: &Path) -> Result<Ledger, Vec<Diagnostic>> {
    let path = ledger_path(root);
    match recorded(&path).map_err(|fault| vec![fault])? {
        Some(text) => {
            understood(&text).map_err(|wrong| wrong.into_iter().map(|fault| malformed_entry(&path, fault)).collect())
        }
        None => Ok(Ledger::default()),
    }
}

/// The ledger in a text.
pub(crate) fn understood(text: &str) -> Result<Ledger, Vec<RecordFault>> {
    Ledger::read(text, &is_version)
}

impl History {
    /// Reads everything under `bundles/`. `rules` are those that waivers may name beside the rules of the policy; `without` is a bundle that
    /// is being released again: it is compared with what would be released now, and not judged by itself.
    pub(crate) fn read(
        root: &Path,
        rules: &[&str],
        without: Option<BundleVersion>,
        session: &Session<'_>,
    ) -> Result<History, Vec<Diagnostic>> {
        let mut faults = Vec::new();
        let mut history = History::default();
        match ledger(root) {
            Ok(ledger) => history.ledger = ledger,
            Err(wrong) => faults.extend(wrong),
        }
        match recorded(&waivers_path(root)) {
            Ok(Some(text)) => {
                (history.waivers, history.malformed_waivers) = Waiver::read_all(&text, &is_version, rules)
            }
            Ok(None) => {}
            Err(fault) => faults.push(fault),
        }
        let versions = released(root).unwrap_or_else(|wrong| {
            faults.extend(wrong);
            Vec::new()
        });
        for version in versions.into_iter().filter(|version| Some(*version) != without) {
            match open_version(version, root, session) {
                Ok(source) => {
                    history.names.push(version.to_string());
                    history.digests.push(digests(&source));
                    history.bundles.push((version, source));
                }
                Err(wrong) => faults.extend(wrong),
            }
        }
        faults.extend(history.altered_manifests(root, without));
        if faults.is_empty() { Ok(history) } else { Err(faults) }
    }

    /// Manifests that are not what a later bundle recorded of them, each once.
    fn altered_manifests(&self, root: &Path, without: Option<BundleVersion>) -> Vec<Diagnostic> {
        let mut faults = BTreeMap::new();
        for (later, source) in &self.bundles {
            for earlier in source.manifest.iter().flat_map(|manifest| &manifest.earlier) {
                let path = root.join(BUNDLES).join(earlier.version.to_string()).join(manifest::FILE_NAME);
                let restore = format!("restore it: `git checkout -- {BUNDLES}/{}`", earlier.version);
                let digest = self.bundle(earlier.version).map(|source| source.manifest_digest);
                let message = match digest {
                    _ if Some(earlier.version) == without => continue,
                    Some(Some(digest)) if digest == earlier.sha256 => continue,
                    Some(_) => format!("changed after the release of {later}; a committed bundle never changes"),
                    // Told already if it cannot be read.
                    None if path.exists() => continue,
                    None => {
                        format!("is missing, and existed at the release of {later}; a committed bundle never changes")
                    }
                };
                faults.entry(earlier.version).or_insert(file::problem("bundle::altered", path, message).help(restore));
            }
        }
        faults.into_values().collect()
    }

    /// The versions of the bundles, lowest first.
    pub(crate) fn versions(&self) -> Vec<BundleVersion> {
        self.bundles.iter().map(|(version, _)| *version).collect()
    }

    /// The bundle of a version.
    pub(crate) fn bundle(&self, version: BundleVersion) -> Option<&Source> {
        self.bundles.iter().find(|(known, _)| *known == version).map(|(_, source)| source)
    }

    /// The bundles as the check of tombstones wants them.
    pub(crate) fn past(&self) -> Vec<PastBundle<'_>> {
        let bundles = self.bundles.iter().zip(&self.digests).zip(&self.names);
        bundles
            .map(|(((_, source), tombstones), name)| PastBundle {
                bundle: name,
                channels: &source.channels,
                tombstones,
            })
            .collect()
    }

    /// What authors declared of names that went: in the ledger and in the types.
    pub(crate) fn declared(&self, marked: &[Tombstone]) -> Declared {
        let mut declared = declared(self.ledger.entries().iter().chain(marked));
        for (_, source) in &self.bundles {
            declared.ever_stored.extend(stored(&source.channels));
        }
        declared
    }
}

/// How long a resource must have been deprecated before a minor bundle may drop it, in months and in minors (Kubernetes' deprecation policy
/// for beta APIs).
const DEPRECATED_MONTHS: i32 = 9;
const DEPRECATED_MINORS: usize = 3;

impl History {
    /// The CRDs whose versions have all been deprecated for long enough when a candidate is released, in every channel of every release since
    /// then. `moment` is when that is, and only asked where it matters.
    pub(crate) fn long_deprecated(
        &self,
        candidate: BundleVersion,
        moment: &dyn Fn() -> Option<Released>,
    ) -> BTreeSet<String> {
        let core = candidate.core();
        let releases = self.bundles.iter().filter(|(version, _)| version.is_release() && *version < core);
        // The first release from which on a CRD was deprecated without a break.
        let mut since: BTreeMap<String, (BundleVersion, Option<Released>)> = BTreeMap::new();
        for (version, source) in releases {
            let deprecated = deprecated(&source.channels);
            since.retain(|name, _| deprecated.contains(name));
            let released = source.manifest.as_ref().and_then(|manifest| manifest.released);
            for name in deprecated {
                since.entry(name).or_insert((*version, released));
            }
        }
        since.retain(|_, (version, _)| self.minors_since(*version, core) >= DEPRECATED_MINORS);
        if since.is_empty() {
            return BTreeSet::new();
        }
        let Some(now) = moment() else { return BTreeSet::new() };
        // A bundle that does not know when it was released proves nothing.
        since.retain(|_, (_, then)| then.is_some_and(|then| now.is_months_after(then, DEPRECATED_MONTHS)));
        since.into_keys().collect()
    }

    /// How many minors lie between a release and a later one: by their numbers, or over a major version by those that are there.
    fn minors_since(&self, from: BundleVersion, to: BundleVersion) -> usize {
        if from.major == to.major {
            return usize::try_from(to.minor.saturating_sub(from.minor)).unwrap_or(usize::MAX);
        }
        let minor = |version: BundleVersion| (version.major, version.minor);
        let between = self.versions().into_iter().chain([to]).map(minor);
        between.filter(|between| *between > minor(from) && *between <= minor(to)).collect::<BTreeSet<_>>().len()
    }
}

/// The CRDs of which nothing but deprecated versions is there.
fn deprecated(channels: &Channels) -> BTreeSet<String> {
    let crds = || channels.values().flatten();
    let is_deprecated = |name: &str| {
        crds().filter(|crd| crd.name == name).all(|crd| crd.versions.iter().all(|version| version.deprecated))
    };
    crds().map(|crd| crd.name.to_string()).filter(|name| is_deprecated(name)).collect()
}

/// The versions that any bundle up to this one wrote objects in.
pub(crate) fn stored_until(
    last: BundleVersion,
    root: &Path,
    session: &Session<'_>,
) -> Result<BTreeSet<(String, String)>, Vec<Diagnostic>> {
    let mut found = BTreeSet::new();
    for version in released(root)?.into_iter().filter(|version| *version <= last) {
        found.extend(stored(&open_version(version, root, session)?.channels));
    }
    Ok(found)
}

/// What tombstones declare.
pub(crate) fn declared<'t>(tombstones: impl IntoIterator<Item = &'t Tombstone>) -> Declared {
    let mut declared = Declared::default();
    for tombstone in tombstones {
        let WireName { crd, kind, path, name } = &tombstone.name;
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
fn stored(channels: &Channels) -> BTreeSet<(String, String)> {
    let crds = channels.values().flatten();
    crds.flat_map(|crd| {
        let stored = crd.versions.iter().filter(|version| version.storage);
        stored.map(|version| (crd.name.to_string(), version.name.to_string()))
    })
    .collect()
}

/// The digests of tombstones in a manifest.
fn digests(source: &Source) -> Vec<(String, String)> {
    let ledger = source.manifest.as_ref().and_then(|manifest| manifest.tombstones.as_ref());
    let entries = ledger.map(|ledger| ledger.entries.as_slice()).unwrap_or_default();
    entries.iter().map(|entry| (entry.id.clone(), entry.sha256.to_string())).collect()
}

/// The tombstones that the types declare, as the ledger would have them: by CRD and path, each name once.
pub(crate) fn marked(resources: &[AnnotatedResource]) -> Vec<(Tombstone, DeclaredTombstone)> {
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

/// The channels of a candidate that was generated.
pub(crate) fn channels_of(crds: impl IntoIterator<Item = (Channel, crd_model::CustomResourceDefinition)>) -> Channels {
    let mut channels: Channels = Channel::ALL.into_iter().map(|channel| (channel, Vec::new())).collect();
    for (channel, crd) in crds {
        channels.entry(channel).or_default().push(crd);
    }
    channels
}

/// An entry of the ledger that cannot be read.
pub(crate) fn malformed_entry(path: impl Into<PathBuf>, fault: RecordFault) -> Diagnostic {
    Diagnostic::error("tombstone-malformed", fault.message).at_line(path, fault.line)
}
