//! The bundles that a cluster is compared with: those that the user names, or those of the workspace.
//!
//! Invariant: what cannot be read is an error, because a missing release would turn its CRDs into edited ones.

use std::ffi::OsString;
use std::path::Path;

use crd_bundle::published::choice::Choice;
use crd_diagnostics::{Diagnostic, fail_on};
use crd_inspect::KnownBundles;
use crd_review::assembly::Unstamped;

use crd_generator::root;
use crd_generator::session::Session;
use crd_xtask::bundle_folder::{open_version, released};
use crd_xtask::{history_archive, releases};

/// Reads folders and archives with releases, or without any those of the workspace, if there is one.
pub(crate) fn known(
    named: &[OsString],
    explicit_root: Option<&Path>,
    session: &Session<'_>,
) -> Result<KnownBundles, Vec<Diagnostic>> {
    let mut known = KnownBundles::default();
    let mut errors = Vec::new();
    for argument in named {
        match releases::history_archive(argument, session) {
            Ok(Some(archive)) => {
                for release in archive.releases() {
                    known.add_structures(release.version, release.channels.clone());
                }
                continue;
            }
            Ok(None) => {}
            Err(more) => {
                errors.extend(more);
                continue;
            }
        }
        match releases::read(argument, Unstamped::Refused, &Choice::default(), session) {
            Ok(read) => {
                errors.extend(read.unread.into_iter().flat_map(|(_, errors)| errors));
                for (release, bundle) in &read.read {
                    add(&mut known, release.version, bundle);
                }
            }
            Err(more) => errors.extend(more),
        }
    }
    fail_on(errors)?;
    if named.is_empty() {
        of_workspace(&mut known, explicit_root, session)?;
    }
    Ok(known)
}

fn add(known: &mut KnownBundles, version: crd_bundle::BundleVersion, bundle: &crd_review::history::Bundle) {
    known.add(version, bundle.channels.iter().map(|(channel, crds)| (*channel, crds.as_slice())));
}

fn of_workspace(
    known: &mut KnownBundles,
    explicit_root: Option<&Path>,
    session: &Session<'_>,
) -> Result<(), Vec<Diagnostic>> {
    let Some(root) = root::if_any(explicit_root, session)? else { return Ok(()) };
    session.begin("reading the history");
    for version in released(&root)? {
        let bundle = open_version(version, &root, session.working_folder())?;
        add(known, version, &bundle);
    }
    for release in history_archive::read(&root, &<[_]>::to_vec)? {
        known.add_structures(release.version, release.channels);
    }
    Ok(())
}
