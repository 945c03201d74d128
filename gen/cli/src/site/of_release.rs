//! The site of a release: it and every release below it.
//!
//! Invariants: later releases and later entries of the ledger do not change the page, so that a release that is built again has the same one.

use std::path::Path;
use std::sync::Arc;

use crd_bundle::timeline::TimelineRelease;
use crd_bundle::{BundleVersion, Released};
use crd_compat::Channels;
use crd_compat::tombstone::Ledger;
use crd_convert::Lens;
use crd_diagnostics::Diagnostic;
use crd_generate::Catalogue;
use crd_model::parallel;
use crd_review::history::Bundle;
use crd_site::Page;
use serde_json::Value;

use super::workspace::{bundle, empty, table};
use super::{Known, Profiles, Sources, page_of};
use crate::session::Session;
use crate::timeline::{Timeline, read_with_contents};

/// What a release has of its own.
pub(crate) struct OfRelease<'r> {
    pub(crate) version: BundleVersion,
    pub(crate) released: Released,
    pub(crate) channels: &'r Channels,
    /// The tombstones until this release.
    pub(crate) ledger: Ledger,
    pub(crate) lenses: &'r [Lens],
    /// The document `graduation.json`.
    pub(crate) graduation: Option<Value>,
}

/// The page.
pub(crate) fn of_release(
    catalogue: &Catalogue,
    of: OfRelease<'_>,
    root: &Path,
    session: &Session<'_>,
) -> Result<Page, Vec<Diagnostic>> {
    let OfRelease { version, released, channels, ledger, lenses, graduation } = of;
    let Timeline { mut releases, bundles } = read_with_contents(root, session)?;
    releases.retain(|release| release.version < version);
    let known = parallel::each(&releases, |release| bundle(release, bundles.get(&release.version)));
    let known = known.into_iter().zip(releases);
    let mut known = known
        .map(|(bundle, timeline)| Known::new(timeline.version.to_string(), false, bundle, timeline))
        .collect::<Vec<_>>();
    let constants = Some(catalogue.condition_constants().clone()).filter(|constants| !constants.is_empty());
    let own = Bundle { version: Some(version), constants, channels: channels.clone(), ..empty(version.to_string()) };
    let arcs = channels.iter().map(|(channel, crds)| (*channel, crds.iter().cloned().map(Arc::new).collect()));
    let release = TimelineRelease { version, released: Some(released), channels: arcs.collect() };
    let timeline = crd_bundle::timeline::ordered([release]).pop();
    known.extend(timeline.map(|timeline| Known::new(version.to_string(), false, own, timeline)));
    let sources = Sources {
        name: catalogue.name().to_owned(),
        releases: known,
        ledger,
        lenses: lenses.to_vec(),
        graduation,
        sizes: table(root, None, session)?,
    };
    page_of(sources, &Profiles { requested: Some(catalogue.policy_profile()), catalogue: None })
}
