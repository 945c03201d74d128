//! The sources of the site of published CRDs: folders of releases, and single releases.
//!
//! Invariants: arguments of one version form one release, and so do those without a version. All errors are reported together.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use crd_bundle::published::choice::{Choice, notes};
use crd_bundle::{BundleVersion, Release};
use crd_compat::tombstone::Ledger;
use crd_diagnostics::{Diagnostic, Severity, fail_on, successes};
use crd_review::assembly::Unstamped;
use crd_site::SiteRelease;

use super::Sources;
use super::workspace::named_table;
use crate::releases::{self, Releases};
use crate::session::Session;
use crate::source::{all_used, open, refused_releases};

/// What a release without a version is called.
const UNVERSIONED: &str = "unversioned";

/// The sources of the site of published CRDs.
pub(crate) fn published(
    arguments: &[&OsString],
    name: Option<String>,
    unstamped: Unstamped,
    choice: &Choice,
    sizes: Option<&Path>,
    session: &mut Session<'_>,
) -> Result<Sources, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    // `None` is last: what has no version is the newest.
    let mut found: BTreeMap<(bool, Option<BundleVersion>), Release> = BTreeMap::new();
    let mut left_out = Vec::new();
    for argument in arguments {
        let (argument, version) = split(argument, session);
        let read = match version {
            None => releases::read(&argument, unstamped, choice, session),
            Some(_) => Err(Vec::new()),
        };
        match read {
            Ok(Releases { read, unread, left_out: more, .. }) => {
                left_out.extend(more);
                errors.extend(unread.into_iter().flat_map(|(_, errors)| errors));
                for (tag, release) in read {
                    add(&mut found, Some(tag.version), release, &mut errors);
                }
            }
            // It is one release.
            Err(more) if version.is_some() || more.iter().all(|error| error.code == releases::NO_RELEASES) => {
                match open(&argument, unstamped, choice, None, session) {
                    Ok(bundle) => {
                        session.notes(&notes(&bundle.left_out));
                        add(&mut found, version.or(bundle.version), bundle, &mut errors);
                    }
                    Err(more) => errors.extend(more),
                }
            }
            Err(more) => errors.extend(more),
        }
    }
    let sizes = sizes.map(|sizes| named_table(&session.folder.join(sizes)));
    let sizes = successes(sizes, &mut errors).pop().unwrap_or_default();
    all_used(fail_on(errors), choice)?;
    let refused = refused_releases(&found.values().collect::<Vec<_>>());
    let (errors, warnings) = refused.into_iter().partition::<Vec<_>, _>(|refusal| refusal.severity == Severity::Error);
    fail_on(errors)?;
    session.diagnostics(&warnings);
    for left_out in left_out {
        session.note(format_args!("`{}` is left out: {}", left_out.name, left_out.reason));
    }
    let releases = found.into_iter().map(|((_, version), mut bundle)| {
        bundle.version = version;
        let label = version.map_or(UNVERSIONED.to_owned(), |version| version.to_string());
        // Its manifest is that of one of its files.
        bundle.released = None;
        SiteRelease::new(bundle, label, false)
    });
    Ok(Sources {
        name,
        releases: releases.collect(),
        ledger: Ledger::default(),
        lenses: Vec::new(),
        graduation: None,
        features: Vec::new(),
        sizes,
        has_charts: false,
    })
}

/// An argument and the version at its end: `crds.yaml=v1.2.3`. A file whose name has this form is that file.
fn split(argument: &OsStr, session: &Session<'_>) -> (OsString, Option<BundleVersion>) {
    let text = argument.to_string_lossy();
    let version = text.rsplit_once('=').and_then(|(path, version)| Some((path, version.parse().ok()?)));
    match version {
        Some((path, version)) if !session.folder.join(argument).exists() => (path.into(), Some(version)),
        _ => (argument.to_owned(), None),
    }
}

/// Adds a bundle to the release of its version.
fn add(
    found: &mut BTreeMap<(bool, Option<BundleVersion>), Release>,
    version: Option<BundleVersion>,
    bundle: Release,
    errors: &mut Vec<Diagnostic>,
) {
    let Some(known) = found.get_mut(&(version.is_none(), version)) else {
        found.insert((version.is_none(), version), bundle);
        return;
    };
    let name = bundle.name.clone();
    for (channel, crds) in bundle.channels {
        let channels = known.channels.entry(channel).or_default();
        for crd in crds {
            if channels.iter().any(|other| other.name == crd.name) {
                let of = version.map_or(UNVERSIONED.to_owned(), |version| version.to_string());
                let message = format!(
                    "{} is twice in the channel {channel} of the release {of}: in `{}` and in `{name}`",
                    crd.name, known.name
                );
                let help = "name the version of each file, such as `crds.yaml=v1.2.3`";
                errors.push(Diagnostic::error("docs::twice", message).help(help));
            } else {
                channels.push(crd);
            }
        }
    }
    for (channel, origins) in bundle.origins {
        known.origins.entry(channel).or_default().extend(origins);
    }
}
