//! The sources of the site of published CRDs: folders of releases, and single releases.
//!
//! Invariants: arguments of one version form one release, and so do those without a version. All errors are reported together.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use crd_bundle::published::choice::{Choice, Chosen, Used};
use crd_bundle::published::skips::notes;
use crd_bundle::{BundleVersion, Release};
use crd_compat::tombstone::Ledger;
use crd_diagnostics::layout::are;
use crd_diagnostics::{Diagnostic, Severity, fail_on, successes};
use crd_generator::session::Session;
use crd_review::assembly::Unstamped;
use crd_review::releases::{LeftOut, MOST_LEFT_OUT};
use crd_site::SiteRelease;

use super::Sources;
use super::workspace::named_table;
use crate::releases::{self, ReleaseSource, Releases};
use crate::source::{open, refused_releases};
use crate::waivers;

/// What a release without a version is called.
const UNVERSIONED: &str = "unversioned";

/// The sources of the site of published CRDs.
pub(crate) fn published(
    arguments: &[&OsString],
    tags: Option<&str>,
    name: Option<String>,
    unstamped: Unstamped,
    choice: &Choice,
    sizes: Option<&Path>,
    session: &mut Session<'_>,
) -> Result<Sources, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    // `None` is last: what has no version is the newest.
    let mut found: BTreeMap<(bool, Option<BundleVersion>), Release> = BTreeMap::new();
    let (mut left_out, mut accepted, mut used) = (Vec::new(), Vec::new(), Used::default());
    for argument in arguments {
        let (argument, version) = split(argument, session);
        let read = match version {
            None => releases::read(ReleaseSource { argument: &argument, tags, unstamped, choice }, session),
            Some(_) => Chosen::from(Err(Vec::new())),
        };
        used = used.or(read.used);
        match read.kept {
            Ok(Releases { read, unread, left_out: more, .. }) => {
                left_out.extend(more);
                accepted.extend(successes([waivers::of_releases(&argument, session)], &mut errors));
                errors.extend(unread.into_iter().flat_map(|(_, errors)| errors));
                for (tag, release) in read {
                    add(&mut found, Some(tag.version), release, &mut errors);
                }
            }
            // It is one release.
            Err(more)
                if version.is_some()
                    || tags.is_none() && more.iter().all(|error| error.code == releases::NO_RELEASES) =>
            {
                let opened = open(&argument, unstamped, choice, None, session);
                used = used.or(opened.used);
                match opened.kept {
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
    choice.all_used(Chosen { kept: fail_on(errors), used })?;
    let refused = refused_releases(&found.values().collect::<Vec<_>>());
    let (errors, warnings) = refused.into_iter().partition::<Vec<_>, _>(|refusal| refusal.severity == Severity::Error);
    fail_on(errors)?;
    session.diagnostics(&warnings);
    note_left_out(&left_out, session);
    let releases = found.into_iter().map(|((_, version), bundle)| shown(version, bundle));
    Ok(Sources {
        name,
        releases: releases.collect(),
        ledger: Ledger::default(),
        waivers: accepted.into_iter().flatten().collect(),
        lenses: Vec::new(),
        graduation: None,
        features: Vec::new(),
        sizes,
        has_charts: false,
    })
}

fn shown(version: Option<BundleVersion>, bundle: Release) -> SiteRelease {
    let label = version.map_or(UNVERSIONED.to_owned(), |version| version.to_string());
    // Its manifest is that of one of its files.
    SiteRelease::new(Release { version, released: None, ..bundle }, label, false)
}

/// Names some of what is left out, and counts the rest.
fn note_left_out(left_out: &[LeftOut], session: &mut Session<'_>) {
    for left_out in left_out.iter().take(MOST_LEFT_OUT) {
        session.note(format_args!("`{}` is left out: {}", left_out.name, left_out.reason));
    }
    if let Some(more) = left_out.len().checked_sub(MOST_LEFT_OUT + 1) {
        session.note(format_args!("{} left out too", are(more + 1, "more name")));
    }
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
