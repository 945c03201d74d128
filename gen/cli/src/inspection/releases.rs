//! The bundles that a cluster is compared with: those that the user names, or those of the workspace.
//!
//! Invariant: what cannot be read is an error, because a missing release would turn its CRDs into edited ones.

use std::ffi::OsString;
use std::path::Path;

use crd_bundle::published::choice::Choice;
use crd_diagnostics::{Diagnostic, fail_on};
use crd_generator::root;
use crd_generator::session::Session;
use crd_model::channel::Channel;
use crd_review::assembly::Unstamped;
use crd_upgrade::inspect::KnownBundles;

use crate::history;
use crate::releases::{self, ReleaseSource};

/// Reads folders and archives with releases, whose CRDs without stamps are of the channel, or of standard; or without any those of the workspace, if there is one.
pub(crate) fn known(
    named: &[OsString],
    channel: Option<Channel>,
    explicit_root: Option<&Path>,
    session: &Session<'_>,
) -> Result<KnownBundles, Vec<Diagnostic>> {
    let (mut known, mut errors) = (KnownBundles::default(), Vec::new());
    for argument in named {
        let unstamped = channel.map_or(Unstamped::Standard, Unstamped::Of);
        let source = ReleaseSource { argument, tags: None, unstamped, choice: &Choice::default() };
        match releases::read(source, session).kept {
            Ok(read) => {
                errors.extend(read.unread.into_iter().flat_map(|(_, errors)| errors));
                read.read.iter().for_each(|(tag, release)| known.add(release, Some(tag.version)));
            }
            Err(more) => errors.extend(more),
        }
    }
    if named.is_empty()
        && let Some(root) = root::if_any(explicit_root, session)?
    {
        session.begin("reading the history");
        let releases = history::releases(&root, &|_| true, &mut errors, session);
        releases.all().for_each(|(_, release)| known.add(release, None));
    }
    fail_on(errors)?;
    Ok(known)
}
