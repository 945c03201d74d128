//! The sources of the site of a workspace: the bundles in `bundles/`, the history archive, and the unreleased bundle.
//!
//! Invariants: files are only read. The unreleased bundle belongs to the site unless its version is released. Its files are all of the version
//! that the site shows.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crd_bundle::published::choice::Choice;
use crd_bundle::{BundleVersion, Release};
use crd_diagnostics::{Diagnostic, fail_on, successes};
use crd_generator::file;
use crd_generator::root::BUNDLES;
use crd_generator::session::Session;
use crd_model::profile::Profile;
use crd_review::assembly::Unstamped;
use crd_review::history::Releases;
use crd_site::SiteRelease;
use crd_stamps::features::{FILE_NAME, FeatureElement, Features};
use serde_json::{Value, json};

use super::Sources;
use super::sizes::{self, Sizes};
use crate::bundle_folder::ReadBundle;
use crate::crd_files::Folder;
use crate::graduation::evidence_of;
use crate::{history, input, ledger, waivers};

/// The table of sizes of a workspace.
const SIZES: &str = "bundles/sizes.tsv";
/// The document about graduation in a bundle.
const GRADUATION: &str = "graduation.json";
const GRADUATION_FORMAT: u64 = 1;
/// The folder of the unreleased bundle.
const UNRELEASED: &str = "unreleased";

/// Which part of a workspace the site is about.
pub(crate) struct Selection<'a> {
    /// The name of the project.
    pub(crate) name: Option<String>,
    /// The table of sizes that the user names.
    pub(crate) sizes: Option<&'a Path>,
    /// The channel of unreleased CRDs without a channel stamp.
    pub(crate) unstamped: Unstamped,
    /// The next version of the catalogue.
    pub(crate) next: Option<BundleVersion>,
}

/// The sources of the site of a workspace, and the profile of its releases.
pub(crate) fn workspace(
    root: &Path,
    selection: &Selection<'_>,
    session: &Session<'_>,
) -> Result<(Sources, Option<Profile>), Vec<Diagnostic>> {
    session.begin(format_args!("reading `{BUNDLES}`"));
    let mut errors = Vec::new();
    let known = history::releases(root, &|version| version.is_release(), &mut errors, session);
    let unreleased = successes([unreleased(root, selection, session)], &mut errors).pop().flatten();
    let sizes = successes([table(root, selection.sizes, session)], &mut errors).pop().unwrap_or_default();
    let ledger = successes([ledger::read(root)], &mut errors).pop().unwrap_or_default();
    let (waivers, malformed) = successes([waivers::of_workspace(root)], &mut errors).pop().unwrap_or_default();
    errors.extend(malformed);
    fail_on(errors)?;
    let newest = known.bundles.last_key_value();
    let newest_bundle = newest.map(|(version, _)| *version);
    let profile = newest.and_then(|(_, release)| Some(release.manifest.as_ref()?.profile));
    let lenses_of_newest = newest.map(|(_, release)| release.lenses.clone());
    let (mut releases, mut errors) = (shown(&known), Vec::new());
    let lenses = unreleased.as_ref().map(|bundle| bundle.lenses.clone()).filter(|lenses| !lenses.is_empty());
    let version = |bundle: &Release| selection.next.or(bundle.version).map(BundleVersion::core);
    let is_released =
        |version: Option<BundleVersion>| version.is_some_and(|version| known.all().any(|(known, _)| known == version));
    let candidate = unreleased.filter(|bundle| !is_released(version(bundle)));
    let is_unreleased = candidate.is_some();
    let next = candidate.as_ref().and_then(version);
    let stamped = candidate.as_ref().and_then(|bundle| bundle.version);
    let folder = root.join(BUNDLES).join(UNRELEASED);
    errors.extend(of_another(&folder, stamped, next, "generate"));
    releases.extend(candidate.map(|bundle| candidate_of(version(&bundle), bundle)));
    let graduation = successes([graduation(root, newest_bundle, is_unreleased)], &mut errors).pop().flatten();
    if let Some((path, document)) = graduation.as_ref().filter(|(path, _)| path.starts_with(&folder)) {
        let bundle = document.get("bundle").and_then(Value::as_str).and_then(|bundle| bundle.parse().ok());
        errors.extend(of_another(path, bundle, next, "graduate --write"));
    }
    let features = successes([features(root, session)], &mut errors).pop().unwrap_or_default();
    fail_on(errors)?;
    if releases.is_empty() {
        let error = file::error("docs::no-releases", root.join(BUNDLES), "contains no release and no unreleased CRDs");
        return Err(error.help("run `cargo xtask generate`, or name published CRDs with `--crds`").into());
    }
    let sources = Sources {
        name: selection.name.clone(),
        releases,
        ledger,
        waivers,
        // Those of the types are about all releases, also if the newest one was published without them.
        lenses: lenses.or(lenses_of_newest).unwrap_or_default(),
        graduation: graduation.map(|(_, document)| document),
        features,
        sizes,
        has_charts: true,
    };
    Ok((sources, profile))
}

/// What needs features, each with the projects of which a report passes one of them.
fn features(root: &Path, session: &Session<'_>) -> Result<Vec<Value>, Vec<Diagnostic>> {
    let path = root.join(BUNDLES).join(UNRELEASED).join(FILE_NAME);
    let Some(text) = input::committed_text(&path)? else { return Ok(Vec::new()) };
    let invalid = |message: String| vec![Diagnostic::error("features::document", message).at_file(&path)];
    let document = Features::from_json(&text).map_err(invalid)?;
    let evidence = evidence_of(root, session)?;
    let passing = |feature: &String| {
        let passing = evidence.iter().flat_map(|evidence| evidence.passing(std::slice::from_ref(feature), None));
        passing.map(|passing| format!("{} {}", passing.project, passing.version)).collect::<Vec<_>>()
    };
    let element = |element: &FeatureElement| {
        let passing = element.features.iter().flat_map(passing).collect::<BTreeSet<_>>();
        json!({"crd": element.crd, "path": element.path, "value": element.value, "versions": element.versions, "features": element.features, "passing": passing})
    };
    Ok(document.elements.iter().map(element).collect())
}

/// The unreleased bundle, if it exists.
fn unreleased(
    root: &Path,
    selection: &Selection<'_>,
    session: &Session<'_>,
) -> Result<Option<Release>, Vec<Diagnostic>> {
    let folder = root.join(BUNDLES).join(UNRELEASED);
    if !folder.is_dir() {
        return Ok(None);
    }
    let from = session.working_folder();
    let read = ReadBundle::read(&Folder::new(folder, from), UNRELEASED, None, from);
    read.release(selection.unstamped, &Choice::default()).kept.map(Some)
}

/// The error that files of the unreleased bundle are of another version than the site shows them with.
fn of_another(
    path: &Path,
    found: Option<BundleVersion>,
    shown: Option<BundleVersion>,
    command: &str,
) -> Option<Diagnostic> {
    let (found, shown) = (found?.core(), shown?);
    let error = || {
        let predicate = format!("is of {found}, and the next version is {shown}");
        file::error("docs::unreleased", path, predicate).help(format!("run `cargo xtask {command}`"))
    };
    (found != shown).then(error)
}

/// Releases of a workspace as the site shows them.
pub(crate) fn shown(releases: &Releases) -> Vec<SiteRelease> {
    let all = releases.all();
    all.map(|(version, release)| SiteRelease::new(release.clone(), version.to_string(), false)).collect()
}

/// The candidate as the last release.
fn candidate_of(version: Option<BundleVersion>, mut bundle: Release) -> SiteRelease {
    bundle.version = version;
    let label = version.map_or(UNRELEASED.to_owned(), |version| version.to_string());
    SiteRelease::new(bundle, label, true)
}

/// The table of sizes. One that the user names must exist.
pub(crate) fn table(root: &Path, named: Option<&Path>, session: &Session<'_>) -> Result<Sizes, Vec<Diagnostic>> {
    match named {
        Some(named) => named_table(&session.folder.join(named)),
        None => sizes::read(&root.join(SIZES)).map(Option::unwrap_or_default),
    }
}

/// The table that the user names.
pub(super) fn named_table(path: &Path) -> Result<Sizes, Vec<Diagnostic>> {
    sizes::read(path)?.ok_or_else(|| file::error("file::io", path, "does not exist").into())
}

/// The document about graduation of the newest bundle, or else of the unreleased one; in the other order if that is part of the site.
fn graduation(
    root: &Path,
    newest: Option<BundleVersion>,
    is_unreleased: bool,
) -> Result<Option<(PathBuf, Value)>, Vec<Diagnostic>> {
    let mut folders = [newest.map(|version| version.to_string()), Some(UNRELEASED.to_owned())];
    if is_unreleased {
        folders.reverse();
    }
    let paths = folders.into_iter().flatten().map(|folder| root.join(BUNDLES).join(folder).join(GRADUATION));
    for path in paths.collect::<Vec<PathBuf>>() {
        let Some(text) = input::text(&path)? else { continue };
        let document = serde_json::from_str::<Value>(&text);
        let document =
            document.map_err(|error| file::error("docs::graduation", &path, format!("is not JSON: {error}")));
        let document = document.map_err(|error| vec![error.help("run `cargo xtask graduate` again")])?;
        if document.get("format").and_then(Value::as_u64) != Some(GRADUATION_FORMAT) {
            let predicate = format!("does not have the format {GRADUATION_FORMAT}, which this program reads");
            let error = file::error("docs::graduation", &path, predicate);
            return Err(error.help("use a newer program, or run `cargo xtask graduate` again").into());
        }
        return Ok(Some((path, document)));
    }
    Ok(None)
}
