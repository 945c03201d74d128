//! The resources that a bundle has: those of `bundles/`, or of the history archive.

use std::path::Path;

use crd_bundle::BundleVersion;
use crd_diagnostics::{Diagnostic, fail_on};
use crd_generator::root;
use crd_generator::session::Session;
use crd_model::channel::Channel;
use crd_suite::objects::conversion::Resources;

use crate::history;

/// Reads the names of all resources. None without a workspace, or if it does not have the bundle, for example because it is not released yet.
pub(crate) fn resources(
    bundle: BundleVersion,
    channel: Option<Channel>,
    explicit_root: Option<&Path>,
    session: &Session<'_>,
) -> Result<Option<Resources>, Vec<Diagnostic>> {
    let root = match (root::locate(explicit_root, session), explicit_root) {
        (Ok(root), _) => root,
        (Err(_), None) => return Ok(None),
        (Err(error), Some(_)) => return Err(error.into()),
    };
    session.begin("reading the history");
    let mut errors = Vec::new();
    let releases = history::releases(&root, &|_| true, &mut errors, session);
    fail_on(errors)?;
    let crds = releases.all().flat_map(|(version, release)| release.crds().map(move |(of, crd)| (version, of, crd)));
    Ok(Resources::new(bundle, channel, crds))
}
