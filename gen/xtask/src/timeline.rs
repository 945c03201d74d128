//! Reads the timeline of a workspace: every bundle in `bundles/`, and the releases of the history archive that are not bundles.
//!
//! Invariants: of a version that both have, the bundle counts, because it has texts. Pre-releases are left out.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::{panic, thread};

use crd_bundle::BundleVersion;
use crd_bundle::history_archive::HistoryArchive;
use crd_bundle::published::Input;
use crd_bundle::timeline::{TimelineRelease, ordered};
use crd_convert::Lens;
use crd_diagnostics::{Diagnostic, fail_on, successes};
use crd_model::constants::Constants;
use crd_model::profile::Profile;
use crd_review::history::{ARCHIVE, Bundle};

use crate::bundle_folder::{open_version, released};
use crate::input;
use crate::session::Session;

/// The releases of a workspace, and what only bundles have.
#[derive(Default)]
pub(crate) struct Timeline {
    /// The releases, lowest version first.
    pub(crate) releases: Vec<TimelineRelease>,
    /// The other contents of the bundles.
    pub(crate) bundles: BTreeMap<BundleVersion, Contents>,
}

/// What a bundle has in addition to its CRDs.
#[derive(Default)]
pub(crate) struct Contents {
    /// Its recommended condition types and reasons.
    pub(crate) constants: Option<Constants>,
    /// The lenses that it was published with.
    pub(crate) lenses: Vec<Lens>,
    /// The profile in its manifest.
    pub(crate) profile: Option<Profile>,
}

/// The releases of a workspace, lowest version first.
pub(crate) fn read(root: &Path, session: &Session<'_>) -> Result<Vec<TimelineRelease>, Vec<Diagnostic>> {
    read_with_contents(root, &|_| true, session).map(|timeline| timeline.releases)
}

/// The releases of a workspace with the contents of their bundles. `is_read` chooses the bundles.
pub(crate) fn read_with_contents(
    root: &Path,
    is_read: &dyn Fn(BundleVersion) -> bool,
    session: &Session<'_>,
) -> Result<Timeline, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let versions = released(root)?.into_iter().filter(|version| version.is_release() && is_read(*version));
    let from = session.working_folder();
    let (bundles, past) = thread::scope(|scope| {
        let past = scope.spawn(|| past(root));
        let bundles = versions.map(|version| Ok::<_, Vec<_>>((version, open_version(version, root, from)?)));
        let bundles = successes(bundles, &mut errors);
        (bundles, past.join().unwrap_or_else(|panic| panic::resume_unwind(panic)))
    });
    let past = past.unwrap_or_else(|more| {
        errors.extend(more);
        Vec::new()
    });
    fail_on(errors)?;
    let (releases, contents): (Vec<_>, Vec<_>) =
        bundles.into_iter().map(|(version, bundle)| split(version, bundle)).unzip();
    Ok(Timeline { releases: ordered(releases.into_iter().chain(past)), bundles: contents.into_iter().collect() })
}

/// The releases of the history archive.
fn past(root: &Path) -> Result<Vec<TimelineRelease>, Vec<Diagnostic>> {
    let Some(bytes) = input::committed_bytes(&root.join(ARCHIVE))? else { return Ok(Vec::new()) };
    let archive = HistoryArchive::read(Input::new(ARCHIVE, bytes))?;
    Ok(archive.releases().iter().cloned().map(TimelineRelease::from).collect())
}

/// A bundle as a release of a timeline, and its other contents.
pub(crate) fn split(version: BundleVersion, mut bundle: Bundle) -> (TimelineRelease, (BundleVersion, Contents)) {
    let contents = Contents {
        constants: bundle.constants.take(),
        lenses: std::mem::take(&mut bundle.lenses),
        profile: bundle.manifest.as_ref().map(|manifest| manifest.profile),
    };
    (of_bundle(version, bundle), (version, contents))
}

/// A bundle as a release of a timeline.
pub(crate) fn of_bundle(version: BundleVersion, bundle: Bundle) -> TimelineRelease {
    let released = bundle.manifest.as_ref().and_then(|manifest| manifest.released);
    let channels = bundle.channels.into_iter();
    let channels = channels.map(|(channel, crds)| (channel, crds.into_iter().map(Arc::new).collect()));
    TimelineRelease { version, released, channels: channels.collect() }
}
