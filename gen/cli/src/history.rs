//! Reads the history: every bundle in `bundles/`, the history archive, the tombstone ledger, and the waivers.
//!
//! Invariants: a committed bundle never changes: a manifest whose digest differs from the one in a later bundle is an error. A waiver that
//! cannot be read waives nothing and is reported with the findings; a ledger that cannot be read ends the command.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{panic, thread};

use crd_bundle::history_archive::HistoryArchive;
use crd_bundle::published::Input;
use crd_bundle::{BundleVersion, Release, manifest};
use crd_compat::Channels;
use crd_diagnostics::{Diagnostic, fail_on, successes};
use crd_generator::file;
use crd_generator::root::BUNDLES;
use crd_generator::session::Session;
use crd_model::crd::Version;
use crd_review::history::{ARCHIVE, History, Releases, stored};

use crate::bundle_folder::{ALTERED, open_version, released};
use crate::restoration::Altered;
use crate::{input, ledger, waivers, walk};

/// Reads the bundles that `is_read` chooses, and the history archive, at the same time.
pub fn releases(
    root: &Path,
    is_read: &dyn Fn(BundleVersion) -> bool,
    errors: &mut Vec<Diagnostic>,
    session: &Session<'_>,
) -> Releases {
    let versions = successes([released(root)], errors).into_iter().flatten().filter(|version| is_read(*version));
    let from = session.working_folder();
    let (bundles, archived) = thread::scope(|scope| {
        let archived = scope.spawn(|| archived(root));
        let bundles = versions.map(|version| Ok::<_, Vec<_>>((version, open_version(version, root, from)?)));
        let bundles = successes(bundles, errors);
        (bundles, archived.join().unwrap_or_else(|panic| panic::resume_unwind(panic)))
    });
    let archived = successes([archived], errors).into_iter().flatten();
    Releases { bundles: bundles.into_iter().collect(), archived: archived.collect() }
}

/// The releases of the history archive. Without an archive there are none.
fn archived(root: &Path) -> Result<BTreeMap<BundleVersion, Release>, Vec<Diagnostic>> {
    let Some(bytes) = input::committed_bytes(&root.join(ARCHIVE))? else { return Ok(BTreeMap::new()) };
    let releases = HistoryArchive::read(Input::new(ARCHIVE, bytes))?.into_releases().into_iter();
    Ok(releases.filter_map(|release| Some((release.version?, release))).collect())
}

/// Reads everything in `bundles/`. `without` is the bundle that is released: it is not part of its own history. If the archive has it, it is
/// returned next to the history.
pub(crate) fn read(
    root: &Path,
    without: Option<BundleVersion>,
    session: &Session<'_>,
) -> Result<(History, Option<Release>), Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let ledger = successes([ledger::read(root)], &mut errors).pop().unwrap_or_default();
    let waivers = successes([waivers::of_workspace(root)], &mut errors).pop().unwrap_or_default();
    let mut releases = releases(root, &|version| Some(version) != without, &mut errors, session);
    let own = without.and_then(|version| releases.archived.remove(&version));
    // A bundle that cannot be read is already reported, and cannot be compared.
    if errors.is_empty() {
        errors.extend(releases.differing());
    }
    let mut history = History::new(releases);
    history.ledger = ledger;
    (history.waivers, history.malformed_waivers) = waivers;
    errors.extend(altered_manifests(&history, root, without, session));
    fail_on(errors)?;
    Ok((history, own))
}

/// Manifests that differ from what a later bundle recorded, each once.
fn altered_manifests(
    history: &History,
    root: &Path,
    without: Option<BundleVersion>,
    session: &Session<'_>,
) -> Vec<Diagnostic> {
    let mut errors = BTreeMap::new();
    for (later, source) in &history.releases.bundles {
        for earlier in source.manifest.iter().flat_map(|manifest| &manifest.earlier) {
            let bundle = root.join(BUNDLES).join(earlier.version.to_string());
            let path = bundle.join(manifest::FILE_NAME);
            let known = history.bundle(earlier.version);
            let digest = known.map(|source| source.manifest_digest);
            let message = match digest {
                _ if Some(earlier.version) == without => continue,
                Some(Some(digest)) if digest == earlier.sha256 => continue,
                Some(_) => format!("changed after the release of {later}; a committed bundle never changes"),
                // A manifest that cannot be read is already reported.
                None if path.exists() => continue,
                None => {
                    format!("is missing, and existed at the release of {later}; a committed bundle never changes")
                }
            };
            if let Entry::Vacant(entry) = errors.entry(earlier.version) {
                let relative = walk::relative(root, &path);
                let altered = Altered {
                    folder: root,
                    path: &relative,
                    shown: session.shown(&bundle),
                    digest: earlier.sha256,
                    version: earlier.version,
                };
                let imported = known.and_then(|source| source.manifest.as_ref()).is_some_and(|known| known.imported);
                entry.insert(file::error(ALTERED, path, message).help(altered.help(imported)));
            }
        }
    }
    errors.into_values().collect()
}

/// The versions that objects were stored in by any release up to this one.
pub(crate) fn stored_until(
    last: BundleVersion,
    root: &Path,
    session: &Session<'_>,
) -> Result<BTreeSet<(String, String)>, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let releases = releases(root, &|version| version <= last, &mut errors, session);
    fail_on(errors)?;
    Ok(releases
        .all()
        .filter(|(version, _)| *version <= last)
        .flat_map(|(_, release)| stored(&release.channels))
        .collect())
}

/// Whether the baseline has an API version that the same CRD of the candidate does not have, or that neither of them serves or stores.
pub(crate) fn has_unused_version(old: &Channels, new: &Channels) -> bool {
    let is_used = |version: &Version| version.served || version.storage;
    old.iter().any(|(channel, crds)| {
        let candidates = new.get(channel).map(Vec::as_slice).unwrap_or_default();
        crds.iter().any(|crd| {
            let candidate = candidates.iter().find(|candidate| candidate.name == crd.name);
            candidate.is_some_and(|candidate| {
                crd.versions.iter().any(|version| {
                    let known = candidate.versions.iter().find(|known| known.name == version.name);
                    known.is_none_or(|known| !is_used(version) && !is_used(known))
                })
            })
        })
    })
}
