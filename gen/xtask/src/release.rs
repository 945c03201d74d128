//! A release: the checks of the gate, the files of the bundle and its artefacts, and their publication.
//!
//! Invariants: nothing is written unless every check passes. The files are the same on every machine. An existing bundle never changes; only
//! its artefacts are written again.

mod contents;
mod inputs;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crd_bundle::{BundleManifest, BundleVersion, Digest, Released, manifest};
use crd_diagnostics::Diagnostic;
use crd_generate::Catalogue;
use crd_graduation::document;
use crd_review::gate::{self, Files, Refusal};
use crd_review::history::WAIVERS;
use crd_review::profile::ChosenProfile;
use crd_review::{Baseline, Request, Reviewed};

use crate::bundle_folder::open_version;
use crate::generation::stale;
use crate::graduation::{Graduations, review};
use crate::publication::{self, Publication, Tree};
use crate::release_date::{ReleaseDate, release_date};
use crate::root::BUNDLES;
use crate::session::Session;
use crate::working_tree::WorkingTree;
use crate::{graduation_file, input};
use contents::Contents;
use inputs::Folders;

/// What the user asks for.
pub(crate) struct Options {
    pub(crate) root: PathBuf,
    pub(crate) version: BundleVersion,
    pub(crate) date: Option<Released>,
    pub(crate) dry_run: bool,
    pub(crate) allow_major: bool,
    /// The folder of the artefacts, in the root.
    pub(crate) dist: String,
    pub(crate) profile: ChosenProfile,
}

/// What was released, or with `dry_run` would be.
pub(crate) struct ReleaseReport {
    pub(crate) date: ReleaseDate,
    /// Whether the bundle existed before.
    pub(crate) is_existing: bool,
    /// Path and size of each file.
    pub(crate) bundle: Vec<(String, usize)>,
    pub(crate) dist: Vec<(String, usize)>,
    pub(crate) reviewed: Reviewed,
    pub(crate) refusals: Vec<Refusal>,
    pub(crate) notes: Vec<String>,
}

/// Releases the types, unless a check refuses that.
pub(crate) fn release(
    catalogue: &Catalogue,
    options: &Options,
    session: &mut Session<'_>,
) -> Result<ReleaseReport, Vec<Diagnostic>> {
    let Options { version, dry_run, .. } = *options;
    let folders = Folders::of(options, catalogue.settings());
    // Locked before the first check until all is written.
    let lock = (!dry_run).then(|| publication::hold(&folders.root)).transpose()?;
    let existing = folders.existing_bundle()?;
    let tree = WorkingTree::around(&folders.root)?;
    let committed = existing.as_ref().and_then(committed_manifest);
    let committed_date = committed.as_ref().and_then(|manifest| manifest.released);
    let date = release_date(committed_date, options.date, tree.as_ref(), session)?;
    let request = Request {
        version,
        against: committed.as_ref().map_or(Baseline::Highest, |manifest| Baseline::Recorded(manifest.baseline)),
        profile: options.profile.clone(),
        with_witnesses: false,
        release_date: &|| Some(date.released),
        is_release: true,
    };
    let reviewed = review(request, catalogue, &folders.root, session)?;

    let mut refusals = Vec::new();
    let others = reviewed.history.versions();
    // An existing bundle can be built again after later ones.
    if existing.is_none() {
        refusals.extend(gate::of_version(version, &others));
    }
    refusals.extend(gate::of_report(&reviewed.report, version, options.allow_major, existing.is_some()));
    let stale = stale(catalogue, &folders.root, session)?;
    let stale = stale.iter().map(|path| session.shown(path).display().to_string()).collect::<Vec<_>>();
    refusals.extend(gate::of_stale(&stale));
    let altered = match &existing {
        Some(_) => altered(version, &folders.root, session),
        None => Vec::new(),
    };
    let is_altered = !altered.is_empty();
    let mut uncommitted = Vec::new();
    if let Some(tree) = &tree {
        session.begin("comparing the files with the last commit");
        uncommitted = tree.uncommitted(&folders.inputs())?;
        refusals.extend(gate::of_uncommitted(&uncommitted, |path| folders.is_output(path)));
    }
    if let Some(existing) = &existing {
        let listed = committed.iter().flat_map(|manifest| &manifest.files);
        let listed = listed.map(|file| (&*file.path, file.sha256)).collect::<BTreeMap<_, _>>();
        let is_released = |path: &str| match (path, existing.get(path)) {
            (_, None) => false,
            (manifest::FILE_NAME, Some(bytes)) => is_released_manifest(version, bytes, &reviewed, tree.as_ref()),
            (path, Some(bytes)) => listed.get(path) == Some(&Digest::of(bytes)),
        };
        refusals.extend(gate::of_altered(&uncommitted, version, &folders.root, altered, is_released));
    }
    let waivers = input::text(&folders.root.join(WAIVERS))?;
    // Later releases, reports and approvals do not change the file of a released bundle.
    let graduation = match &existing {
        Some(existing) => existing.get(document::FILE_NAME).map(|bytes| String::from_utf8_lossy(bytes).into_owned()),
        None => {
            let graduations =
                Graduations::read(catalogue, &folders.root, Some(&reviewed.history.releases), None, session)?;
            refusals.extend(stale_graduation(&graduations, catalogue, &folders.root, session)?);
            let table = graduations.table(catalogue, Some(date.released));
            (!table.rows.is_empty()).then(|| document::text(&table))
        }
    };
    let contents = Contents {
        catalogue,
        graduation,
        version,
        released: date.released,
        reviewed: &reviewed,
        waivers: waivers.as_deref(),
        committed: committed.as_ref(),
    };
    session.begin("building the release files");
    let release = contents.release()?;
    let bundle = contents.bundle(&release);
    // The fix of an altered file is the first step.
    if let Some(existing) = existing.as_ref().filter(|_| !is_altered) {
        let is_newest = others.iter().all(|other| *other < version);
        refusals.extend(gate::of_difference(&folders.bundle, version, is_newest, existing, &bundle));
    }
    let cargo_lock = input::text(&folders.root.join("Cargo.lock"))?;
    let templates = folders.templates()?;
    session.begin("building the API reference");
    let reference = contents.reference(&folders.root, session)?;
    let dist = contents.dist(&release, reference, templates.texts, cargo_lock.as_deref())?;

    let mut notes = reviewed.report.notes.clone();
    if tree.is_none() {
        notes.push("without a git repository, the release cannot check that all files are committed".to_owned());
    }
    let next = catalogue.next_version();
    if existing.is_none() && next != version.core() {
        notes.push(format!(
            "the next version of the settings is {next}, so `cargo xtask check` checks {next} and not {version}"
        ));
    }
    notes.extend(templates.notes);
    if let Some(asked) = options.date.filter(|asked| *asked != date.released) {
        notes.push(format!("`--date` ({asked}) is ignored, because the committed bundle contains its release date"));
    }
    if cargo_lock.is_none() {
        notes.push("without a Cargo.lock, the SBOM does not list the crates of this program".to_owned());
    }
    let mut report = ReleaseReport {
        date,
        is_existing: existing.is_some(),
        bundle: sizes(&bundle),
        dist: sizes(&dist),
        reviewed,
        refusals,
        notes,
    };
    let publication = Publication {
        root: &folders.root,
        bundle: existing.is_none().then(|| Tree { target: folders.bundle.clone(), files: bundle }),
        dist: Tree { target: folders.dist.clone(), files: dist },
    };
    report.refusals.extend(gate::of_targets(publication.check()));
    session.begin(format_args!("writing `{BUNDLES}/{version}` and `{}`", options.dist));
    if let (true, Some(lock)) = (report.refusals.is_empty(), &lock) {
        let left = publication.publish(lock)?.left;
        report.notes.extend(left.map(|diagnostic| session.in_one_line(&diagnostic)));
    }
    Ok(report)
}

/// Why `bundles/unreleased/graduation.json` forbids a release: it exists, and is out of date. A workspace need not have it.
fn stale_graduation(
    graduations: &Graduations,
    catalogue: &Catalogue,
    root: &Path,
    session: &Session<'_>,
) -> Result<Option<Refusal>, Diagnostic> {
    let path = graduation_file::path(root);
    let table = graduations.table(catalogue, graduations.newest_date());
    let is_stale = path.exists() && graduation_file::is_stale(&table, root)?;
    Ok(is_stale.then(|| gate::of_stale_graduation(&session.shown(&path).display().to_string())))
}

/// The files of an existing bundle whose bytes are not those of its manifest.
fn altered(version: BundleVersion, root: &Path, session: &Session<'_>) -> Vec<Diagnostic> {
    let errors = open_version(version, root, session.working_folder()).err().unwrap_or_default();
    errors.into_iter().filter(|error| error.code == "bundle::altered").collect()
}

/// Whether a manifest has the bytes that a later bundle or the tag of its version has recorded.
fn is_released_manifest(version: BundleVersion, bytes: &[u8], reviewed: &Reviewed, tree: Option<&WorkingTree>) -> bool {
    let later = reviewed.history.releases.bundles.values().filter_map(|bundle| bundle.manifest.as_ref());
    let mut recorded = later.flat_map(|manifest| &manifest.earlier);
    let path = format!("{BUNDLES}/{version}/{}", manifest::FILE_NAME);
    recorded.any(|earlier| earlier.version == version && earlier.sha256 == Digest::of(bytes))
        || tree.is_some_and(|tree| tree.bytes(&format!("refs/tags/{version}"), &path).as_deref() == Some(bytes))
}

/// The manifest of an existing bundle. A malformed one is reported as a difference.
fn committed_manifest(files: &Files) -> Option<BundleManifest> {
    BundleManifest::from_yaml(&String::from_utf8_lossy(files.get(manifest::FILE_NAME)?), manifest::FILE_NAME.as_ref())
        .ok()
}

/// Path and size of each file.
fn sizes(files: &Files) -> Vec<(String, usize)> {
    files.iter().map(|(path, bytes)| (path.clone(), bytes.len())).collect()
}
