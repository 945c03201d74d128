//! The sources of the site of a release: the releases below it that existed then, and the release.
//!
//! Invariants: a release that is made again has the same sources. Releases that followed it are left out.

use std::path::Path;

use crd_bundle::{BundleVersion, Release};
use crd_compat::tombstone::Ledger;
use crd_convert::Lens;
use crd_diagnostics::Diagnostic;
use crd_review::history::Releases;
use crd_site::SiteRelease;

use super::Sources;
use super::workspace::{shown, table};
use crate::session::Session;

/// The release whose site is made.
pub(crate) struct OfRelease<'a> {
    /// The name of the project.
    pub(crate) name: &'a str,
    /// The version of the release.
    pub(crate) version: BundleVersion,
    /// Its CRDs, constants and release date.
    pub(crate) release: Release,
    /// The other releases.
    pub(crate) known: &'a Releases,
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
pub(crate) fn released(root: &Path, of: OfRelease<'_>, session: &Session<'_>) -> Result<Sources, Vec<Diagnostic>> {
    let OfRelease { name, version, release, known, existed, ledger, lenses, graduation } = of;
    let mut known = known.clone();
    known.bundles.retain(|other, _| other.is_release() && *other < version && existed(*other));
    known.archived.retain(|other, _| *other < version);
    let mut releases = shown(&known);
    releases.push(SiteRelease::new(release, version.to_string(), false));
    Ok(Sources {
        name: name.to_owned(),
        releases,
        ledger,
        lenses: lenses.to_vec(),
        // An altered file is an error of the release.
        graduation: graduation.and_then(|text| serde_json::from_str(text).ok()),
        sizes: table(root, None, session)?,
        has_charts: true,
    })
}
