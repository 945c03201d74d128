//! The sources of the site of a release: the releases below it that existed then, and the release.
//!
//! Invariants: a release that is made again has the same sources. Releases that followed it are left out.

use std::path::Path;

use crd_bundle::{BundleVersion, Released};
use crd_compat::tombstone::Ledger;
use crd_convert::Lens;
use crd_diagnostics::{Diagnostic, fail_on, successes};
use crd_review::history::Bundle;

use super::workspace::{known, table, timeline_of};
use super::{Known, Sources};
use crate::session::Session;
use crate::timeline::read_with_contents;

/// The release whose site is made.
pub(crate) struct OfRelease<'a> {
    /// The name of the project.
    pub(crate) name: &'a str,
    /// The version of the release.
    pub(crate) version: BundleVersion,
    /// Its CRDs and constants.
    pub(crate) bundle: Bundle,
    /// Its release date.
    pub(crate) date: Released,
    /// Whether a bundle of a lower version existed then. All releases of the history archive did.
    pub(crate) existed: &'a dyn Fn(BundleVersion) -> bool,
    /// The tombstones then.
    pub(crate) ledger: Ledger,
    /// Its lenses.
    pub(crate) lenses: &'a [Lens],
    /// Its `graduation.json`.
    pub(crate) graduation: Option<&'a str>,
}

/// The sources of the site of a release.
pub(crate) fn released(root: &Path, release: OfRelease<'_>, session: &Session<'_>) -> Result<Sources, Vec<Diagnostic>> {
    let OfRelease { name, version, bundle, date, existed, ledger, lenses, graduation } = release;
    let mut errors = Vec::new();
    // The bundle of the release may be altered, which the release reports.
    let is_read = |other: BundleVersion| other < version && existed(other);
    let timeline = successes([read_with_contents(root, &is_read, session)], &mut errors).pop();
    let sizes = successes([table(root, None, session)], &mut errors).pop();
    fail_on(errors)?;
    let (mut timeline, sizes) = (timeline.unwrap_or_default(), sizes.unwrap_or_default());
    timeline.releases.retain(|release| release.version < version);
    let mut releases = known(timeline);
    let mut timeline = timeline_of(Some(version), &bundle);
    timeline.released = Some(date);
    releases.push(Known::new(version.to_string(), false, bundle, timeline));
    Ok(Sources {
        name: name.to_owned(),
        releases,
        ledger,
        lenses: lenses.to_vec(),
        // An altered file is an error of the release.
        graduation: graduation.and_then(|text| serde_json::from_str(text).ok()),
        sizes,
        has_charts: true,
    })
}
