//! Reads the timeline of a workspace: every bundle in `bundles/`, and the releases of the history archive that are not bundles.
//!
//! Invariants: of a version that both have, the bundle counts, because it has texts. Pre-releases are left out.

use std::path::Path;
use std::sync::Arc;

use crd_bundle::BundleVersion;
use crd_bundle::history_archive::HistoryArchive;
use crd_bundle::published::Input;
use crd_bundle::timeline::{TimelineRelease, ordered};
use crd_diagnostics::{Diagnostic, fail_on, successes};
use crd_review::history::{ARCHIVE, Bundle};

use crate::bundle_folder::{open_version, released};
use crate::input;
use crate::session::Session;

/// The releases of a workspace, lowest version first.
pub(crate) fn read(root: &Path, session: &Session<'_>) -> Result<Vec<TimelineRelease>, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let past = match input::committed_bytes(&root.join(ARCHIVE))? {
        Some(bytes) => HistoryArchive::read(Input::new(ARCHIVE, bytes)).map(|archive| archive.releases().to_vec()),
        None => Ok(Vec::new()),
    };
    let past = past.unwrap_or_else(|more| {
        errors.extend(more);
        Vec::new()
    });
    let versions = released(root)?.into_iter().filter(|version| version.is_release());
    let bundles = versions.map(|version| {
        let bundle = open_version(version, root, session.working_folder())?;
        Ok::<_, Vec<Diagnostic>>(of_bundle(version, bundle))
    });
    let bundles = successes(bundles, &mut errors);
    fail_on(errors)?;
    Ok(ordered(bundles.into_iter().chain(past.into_iter().map(TimelineRelease::from))))
}

/// A bundle as a release of a timeline.
pub(crate) fn of_bundle(version: BundleVersion, bundle: Bundle) -> TimelineRelease {
    let released = bundle.manifest.as_ref().and_then(|manifest| manifest.released);
    let channels = bundle.channels.into_iter();
    let channels = channels.map(|(channel, crds)| (channel, crds.into_iter().map(Arc::new).collect()));
    TimelineRelease { version, released, channels: channels.collect() }
}
