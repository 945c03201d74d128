//! Reads the history: every bundle in `bundles/`, the history archive, the tombstone ledger, and the waivers.
//!
//! Invariants: a committed bundle never changes: a manifest whose digest differs from the one in a later bundle is an error. A waiver that
//! cannot be read waives nothing and is reported with the findings; a ledger that cannot be read ends the command.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{panic, thread};

use crd_bundle::{BundleVersion, manifest};
use crd_compat::{Channels, Waiver};
use crd_diagnostics::{Diagnostic, successes};
use crd_model::crd::Version;
use crd_review::history::{History, WAIVERS, stored, stored_by};

use crate::bundle_folder::{open_version, released};
use crate::ledger::is_version;
use crate::restoration::Altered;
use crate::root::BUNDLES;
use crate::session::Session;
use crate::{file, history_archive, input, ledger, walk};

/// Reads everything in `bundles/`. Waivers may name these rules and the rules of the policy. `without` is a bundle that is released again: it
/// is compared with the types, and not part of its own history. Of the releases of the archive, `whole` chooses those whose CRDs are needed
/// with all their parts.
pub(crate) fn read(
    root: &Path,
    rules: &[&str],
    without: Option<BundleVersion>,
    whole: &(dyn Fn(&[BundleVersion]) -> Vec<BundleVersion> + Sync),
    session: &Session<'_>,
) -> Result<History, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let mut history = History::default();
    match ledger::read(root) {
        Ok(ledger) => history.ledger = ledger,
        Err(more) => errors.extend(more),
    }
    match input::committed_text(&root.join(WAIVERS)) {
        Ok(Some(text)) => {
            (history.waivers, history.malformed_waivers) =
                Waiver::read_all(&text, Path::new(WAIVERS), &is_version, rules)
        }
        Ok(None) => {}
        Err(error) => errors.push(error),
    }
    let versions = released(root).unwrap_or_else(|more| {
        errors.extend(more);
        Vec::new()
    });
    // Of a version that both have, the structure is compared.
    let is_bundle = |version| versions.contains(&version) && Some(version) != without;
    let from = session.working_folder();
    let bundles = versions.iter().copied().filter(|version| is_bundle(*version));
    let bundles = bundles.map(|version| open_version(version, root, from).map(|bundle| (version, bundle)));
    let (bundles, past) = thread::scope(|scope| {
        let whole = |all: &[BundleVersion]| {
            let bundles = all.iter().copied().filter(|version| is_bundle(*version));
            bundles.chain(whole(all)).collect()
        };
        let past = scope.spawn(move || history_archive::read(root, &whole));
        let bundles = successes(bundles, &mut errors);
        (bundles, past.join().unwrap_or_else(|panic| panic::resume_unwind(panic)))
    });
    for (version, bundle) in bundles {
        history.add(version, bundle);
    }
    let past = past.and_then(|mut past| {
        past.retain(|release| Some(release.version) != without);
        // A bundle that cannot be read is already reported, and cannot be compared.
        if errors.is_empty() { history.add_past(past) } else { Ok(()) }
    });
    errors.extend(past.err().into_iter().flatten());
    errors.extend(altered_manifests(&history, root, without, session));
    if errors.is_empty() { Ok(history) } else { Err(errors) }
}

/// Manifests that differ from what a later bundle recorded, each once.
fn altered_manifests(
    history: &History,
    root: &Path,
    without: Option<BundleVersion>,
    session: &Session<'_>,
) -> Vec<Diagnostic> {
    let mut errors = BTreeMap::new();
    for (later, source) in &history.bundles {
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
                entry.insert(file::error("bundle::altered", path, message).help(altered.help(imported)));
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
    let mut found = BTreeSet::new();
    for version in released(root)?.into_iter().filter(|version| *version <= last) {
        found.extend(stored(&open_version(version, root, session.working_folder())?.channels));
    }
    for release in history_archive::read(root, &|_| Vec::new())?.into_iter().filter(|release| release.version <= last) {
        found.extend(stored_by(release.channels.values().flatten().map(|crd| &**crd)));
    }
    Ok(found)
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
