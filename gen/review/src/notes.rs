//! Notes about the history and the catalogue, for people who read a report.

use std::collections::BTreeSet;

use crd_bundle::{BundleVersion, manifest};
use crd_compat::Channels;

use crate::baseline::IMPORT;
use crate::history::History;

/// A note if the annotations of the baseline have another prefix.
pub(crate) fn other_prefix(baseline: &Channels, prefix: &str) -> Option<String> {
    let keys = baseline.values().flatten().flat_map(|crd| crd.annotations.keys());
    let former = keys.filter_map(|key| key.strip_suffix("/bundle-version")).collect::<BTreeSet<_>>();
    if former.is_empty() || former.contains(prefix) {
        return None;
    }
    let former = former.into_iter().map(|former| format!("`{former}`")).collect::<Vec<_>>().join(", ");
    Some(format!(
        "the annotations of the baseline begin with {former}, and the prefix in `crd-channels.yaml` is `{prefix}`: policies of earlier bundles reject CRDs \
         without their annotations, and charts, archives and policies get other names. Restore the prefix if this is not intended"
    ))
}

/// Notes about the history.
pub(crate) fn notes(version: BundleVersion, misses_baseline: bool, history: &History, is_release: bool) -> Vec<String> {
    let mut notes = Vec::new();
    let versions = history.versions();
    if misses_baseline {
        let instead = match &*versions {
            [] => String::new(),
            [only] => format!(" (it contains {only})"),
            _ => format!(" (it contains {})", listed(&versions)),
        };
        // The first bundle of a project has no earlier one.
        let bring = match versions.contains(&version) {
            true => String::new(),
            false => format!("; import one with `{}`", IMPORT),
        };
        notes.push(format!(
            "there is no baseline: `bundles/` contains no release below {version}{instead}, so nothing is compared{bring}"
        ));
    }
    let later = versions.iter().copied().filter(|known| *known > version).collect::<Vec<_>>();
    if !later.is_empty() {
        notes.push(format!(
            "`bundles/` contains {}, above {version}{}: names that only later bundles have count as removed",
            listed(&later),
            if is_release { "" } else { ", the next version" }
        ));
    }
    let bundles = history.releases.bundles.iter();
    let bare = bundles.filter(|(_, bundle)| bundle.manifest.is_none()).map(|(version, _)| *version);
    let bare = bare.collect::<Vec<_>>();
    if !bare.is_empty() {
        notes.push(format!(
            "changes of {} cannot be detected: `{}` is missing, which `import` writes",
            listed(&bare),
            manifest::FILE_NAME
        ));
    }
    notes
}

fn listed(versions: &[BundleVersion]) -> String {
    versions.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
