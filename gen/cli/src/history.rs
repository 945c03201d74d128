//! Reads the history: every bundle under `bundles/`, the tombstone ledger, and the waivers.
//!
//! Invariants: a committed bundle never changes: a file whose digest differs from its bundle's manifest is reported. A waiver that cannot be
//! read waives nothing and is reported with the findings; a ledger that cannot be read ends the command.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crd_bundle::{BundleVersion, manifest};
use crd_compat::tombstone::Ledger;
use crd_compat::{RecordFault, Waiver};
use crd_diagnostics::Diagnostic;
use crd_review::history::{History, LEDGER, WAIVERS, stored};

use crate::file;
use crate::session::Session;
use crate::source::{BUNDLES, open_version, regular_text, released};

/// The file of the ledger.
pub(crate) fn ledger_path(root: &Path) -> PathBuf {
    root.join(LEDGER)
}

/// The file of the waivers.
pub(crate) fn waivers_path(root: &Path) -> PathBuf {
    root.join(WAIVERS)
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
        Ok(Some(text)) => (history.waivers, history.malformed_waivers) = Waiver::read_all(&text, &is_version, rules),
        Ok(None) => {}
        Err(fault) => faults.push(fault),
    }
    let versions = released(root).unwrap_or_else(|wrong| {
        faults.extend(wrong);
        Vec::new()
    });
    for version in versions.into_iter().filter(|version| Some(*version) != without) {
        match open_version(version, root, session) {
            Ok(bundle) => history.add(version, bundle),
            Err(wrong) => faults.extend(wrong),
        }
    }
    faults.extend(altered_manifests(&history, root, without));
    if faults.is_empty() { Ok(history) } else { Err(faults) }
}

/// Manifests that are not what a later bundle recorded of them, each once.
fn altered_manifests(history: &History, root: &Path, without: Option<BundleVersion>) -> Vec<Diagnostic> {
    let mut faults = BTreeMap::new();
    for (later, source) in &history.bundles {
        for earlier in source.manifest.iter().flat_map(|manifest| &manifest.earlier) {
            let path = root.join(BUNDLES).join(earlier.version.to_string()).join(manifest::FILE_NAME);
            let restore = format!("restore it: `git checkout -- {BUNDLES}/{}`", earlier.version);
            let digest = history.bundle(earlier.version).map(|source| source.manifest_digest);
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

/// An entry of the ledger that cannot be read.
pub(crate) fn malformed_entry(path: impl Into<PathBuf>, fault: RecordFault) -> Diagnostic {
    Diagnostic::error("tombstone-malformed", fault.message).at_line(path, fault.line)
}
