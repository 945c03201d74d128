//! A release: the checks of the gate, the files of the bundle and its artefacts, and their publication.
//!
//! Invariants: nothing is written unless every check passes. The files are the same on every machine. An existing bundle never changes; only
//! its artefacts are written again.

mod contents;
mod inputs;

use std::collections::BTreeMap;
use std::path::PathBuf;

use crd_bundle::{BundleManifest, BundleVersion, Digest, Released, manifest};
use crd_diagnostics::Diagnostic;
use crd_generate::Catalogue;
use crd_generator::generation::stale;
use crd_generator::root::BUNDLES;
use crd_generator::session::Session;
use crd_graduation::document;
use crd_oci::signature::SigningKey;
use crd_review::gate::{self, Files, Refusal};
use crd_review::history::{History, WAIVERS};
use crd_review::profile::ChosenProfile;
use crd_review::{Baseline, Request, Reviewed};

use crate::bundle_folder::ALTERED;
use crate::publication::{self, Publication, Tree};
use crate::release_date::{ReleaseDate, release_date};
use crate::types::Types;
use crate::working_tree::WorkingTree;
use crate::workspace::Workspace;
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
    /// The key that signs.
    pub(crate) sign: Option<SigningKey>,
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
    let folders = Folders::of(options, catalogue.settings());
    // Locked before the first check until all is written.
    let lock = (!options.dry_run).then(|| publication::hold(&options.root)).transpose()?;
    let start = Start::read(options, folders, session)?;
    let types = Types::read(catalogue, options.version, session);
    let workspace = Workspace::read(types, &options.root, Some(options.version), session)?;
    let reviewed = start.review(&workspace, session)?;
    let mut refusals = start.refusals(&workspace, &reviewed, session)?;
    let graduation = start.graduation(&workspace, &mut refusals, session)?;
    let waivers = input::text(&options.root.join(WAIVERS))?;
    let contents =
        Contents { workspace: &workspace, start: &start, reviewed: &reviewed, graduation, waivers: waivers.as_deref() };
    session.begin("building the release files");
    let release = contents.release()?;
    let bundle = contents.bundle(&release);
    refusals.extend(start.difference(&workspace, &bundle));
    let cargo_lock = input::text(&options.root.join("Cargo.lock"))?;
    let templates = start.folders.templates()?;
    session.begin("building the API reference");
    let reference = contents.reference(session)?;
    let dist = contents.dist(&release, &bundle, reference, templates.texts, cargo_lock.as_deref())?;
    let notes = start.notes(catalogue, &reviewed, templates.notes, cargo_lock.is_some());
    let mut report = ReleaseReport {
        date: start.date,
        is_existing: start.existing.is_some(),
        bundle: sizes(&bundle),
        dist: sizes(&dist),
        reviewed,
        refusals,
        notes,
    };
    let publication = Publication {
        root: &options.root,
        bundle: start.existing.is_none().then(|| Tree { target: start.folders.bundle.clone(), files: bundle }),
        dist: Tree { target: start.folders.dist.clone(), files: dist },
    };
    report.refusals.extend(gate::of_targets(publication.check()));
    session.begin(format_args!("writing `{BUNDLES}/{}` and `{}`", options.version, options.dist));
    if let (true, Some(lock)) = (report.refusals.is_empty(), &lock) {
        let left = publication.publish(lock)?.left;
        report.notes.extend(left.map(|diagnostic| session.in_one_line(&diagnostic)));
    }
    Ok(report)
}

/// What a release starts from.
struct Start<'o> {
    options: &'o Options,
    folders: Folders<'o>,
    /// The files of the bundle, if it was released before.
    existing: Option<Files>,
    /// Its manifest. A malformed one is reported as a difference.
    committed: Option<BundleManifest>,
    tree: Option<WorkingTree>,
    date: ReleaseDate,
}

impl<'o> Start<'o> {
    fn read(options: &'o Options, folders: Folders<'o>, session: &Session<'_>) -> Result<Self, Vec<Diagnostic>> {
        let existing = folders.existing_bundle()?;
        let tree = WorkingTree::around(&options.root)?;
        let committed = existing.as_ref().and_then(|files| {
            let text = String::from_utf8_lossy(files.get(manifest::FILE_NAME)?);
            BundleManifest::from_yaml(&text, manifest::FILE_NAME.as_ref()).ok()
        });
        let committed_date = committed.as_ref().and_then(|manifest| manifest.released);
        let date = release_date(committed_date, options.date, tree.as_ref(), session)?;
        Ok(Self { options, folders, existing, committed, tree, date })
    }

    fn review(&self, workspace: &Workspace<'_>, session: &Session<'_>) -> Result<Reviewed, Vec<Diagnostic>> {
        let recorded = self.committed.as_ref().map(|manifest| Baseline::Recorded(manifest.baseline));
        let request = Request {
            version: self.options.version,
            against: recorded.unwrap_or(Baseline::Highest),
            profile: self.options.profile.clone(),
            evidence: crd_compat::Evidence::default(),
            release_date: &|| Some(self.date.released),
            is_release: true,
        };
        workspace.review(request, session)
    }

    /// Why the version, the types, or files that are not as they are committed forbid the release.
    fn refusals(
        &self,
        workspace: &Workspace<'_>,
        reviewed: &Reviewed,
        session: &mut Session<'_>,
    ) -> Result<Vec<Refusal>, Vec<Diagnostic>> {
        let Options { version, allow_major, .. } = *self.options;
        let mut refusals = Vec::new();
        // An existing bundle can be built again after later ones.
        if self.existing.is_none() {
            refusals.extend(gate::of_version(version, &workspace.history.versions()));
        }
        refusals.extend(gate::of_report(&reviewed.report, version, allow_major, self.existing.is_some()));
        let stale = stale(&workspace.types.projection, &self.options.root, session)?;
        let stale = stale.iter().map(|path| session.shown(path).display().to_string()).collect::<Vec<_>>();
        refusals.extend(gate::of_stale(&stale));
        let mut uncommitted = Vec::new();
        if let Some(tree) = &self.tree {
            session.begin("comparing the files with the last commit");
            uncommitted = tree.uncommitted(&self.folders.inputs())?;
            refusals.extend(gate::of_uncommitted(&uncommitted, |path| self.folders.is_output(path)));
        }
        if let Some(existing) = &self.existing {
            let listed = self.committed.iter().flat_map(|manifest| &manifest.files);
            let listed = listed.map(|file| (&*file.path, file.sha256)).collect::<BTreeMap<_, _>>();
            let is_released = |path: &str| match (path, existing.get(path)) {
                (_, None) => false,
                (manifest::FILE_NAME, Some(bytes)) => {
                    is_released_manifest(version, bytes, &workspace.history, self.tree.as_ref())
                }
                (path, Some(bytes)) => listed.get(path) == Some(&Digest::of(bytes)),
            };
            let altered = altered(workspace);
            refusals.extend(gate::of_altered(&uncommitted, version, &self.options.root, altered, is_released));
        }
        Ok(refusals)
    }

    /// The text of `graduation.json`, if the bundle has it. A file in `bundles/unreleased` that is out of date is a refusal; a workspace need not have it.
    fn graduation(
        &self,
        workspace: &Workspace<'_>,
        refusals: &mut Vec<Refusal>,
        session: &Session<'_>,
    ) -> Result<Option<String>, Vec<Diagnostic>> {
        // Later releases, reports and approvals do not change the file of a released bundle.
        if let Some(existing) = &self.existing {
            let bytes = existing.get(document::FILE_NAME);
            return Ok(bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned()));
        }
        let graduations = workspace.graduations(session)?;
        let path = graduation_file::path(workspace.root);
        let table = graduations.table(graduations.graduations.newest_date());
        if path.exists() && graduation_file::is_stale(&table, workspace.root)? {
            refusals.push(gate::of_stale_graduation(&session.shown(&path).display().to_string()));
        }
        let table = graduations.graduations.on(table, Some(self.date.released));
        Ok((!table.rows.is_empty()).then(|| document::text(&table)))
    }

    /// Why the files of an existing bundle forbid the release.
    fn difference(&self, workspace: &Workspace<'_>, bundle: &Files) -> Option<Refusal> {
        // The fix of an altered file is the first step.
        let existing = self.existing.as_ref().filter(|_| altered(workspace).is_empty())?;
        let version = self.options.version;
        let is_newest = workspace.history.versions().iter().all(|other| *other < version);
        gate::of_difference(&self.folders.bundle, version, is_newest, existing, bundle)
    }

    fn notes(
        &self,
        catalogue: &Catalogue,
        reviewed: &Reviewed,
        of_templates: Vec<String>,
        has_lock: bool,
    ) -> Vec<String> {
        let version = self.options.version;
        let mut notes = reviewed.report.notes.clone();
        if self.tree.is_none() {
            notes.push("without a git repository, the release cannot check that all files are committed".to_owned());
        }
        let next = catalogue.next_version();
        if self.existing.is_none() && next != version.core() {
            notes.push(format!(
                "the next version of the settings is {next}, so `cargo xtask check` checks {next} and not {version}"
            ));
        }
        notes.extend(of_templates);
        if let Some(asked) = self.options.date.filter(|asked| *asked != self.date.released) {
            notes
                .push(format!("`--date` ({asked}) is ignored, because the committed bundle contains its release date"));
        }
        let is_of_rust = catalogue.written_crds().is_none();
        if !has_lock && is_of_rust {
            notes.push("without a Cargo.lock, the SBOM does not list the crates of this program".to_owned());
        }
        notes
    }
}

/// The files of a bundle that is released again whose bytes are not those of its manifest.
fn altered(workspace: &Workspace<'_>) -> Vec<Diagnostic> {
    let errors = workspace.again.iter().flat_map(|again| again.as_ref().err()).flatten();
    errors.filter(|error| error.code == ALTERED).cloned().collect()
}

/// Whether a manifest has the bytes that a later bundle or the tag of its version has recorded.
fn is_released_manifest(version: BundleVersion, bytes: &[u8], history: &History, tree: Option<&WorkingTree>) -> bool {
    let later = history.releases.bundles.values().filter_map(|bundle| bundle.manifest.as_ref());
    let mut recorded = later.flat_map(|manifest| &manifest.earlier);
    let path = format!("{BUNDLES}/{version}/{}", manifest::FILE_NAME);
    recorded.any(|earlier| earlier.version == version && earlier.sha256 == Digest::of(bytes))
        || tree.is_some_and(|tree| tree.bytes(&format!("refs/tags/{version}"), &path).as_deref() == Some(bytes))
}

/// Path and size of each file.
fn sizes(files: &Files) -> Vec<(String, usize)> {
    files.iter().map(|(path, bytes)| (path.clone(), bytes.len())).collect()
}
