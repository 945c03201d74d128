//! Bundles in folders: the files of each channel, compared with the manifest if there is one.
//!
//! Invariants: a file whose digest is not that of the manifest is an error, and so is a file that the manifest does not list. All errors are
//! reported together.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use crd_bundle::manifest::{self, BundleManifest};
use crd_bundle::published::choice::{Choice, Chosen};
use crd_bundle::published::layout::{can_have_crds, is_hidden, is_kustomization};
use crd_bundle::published::tree::{Entry, Tree as _, join};
use crd_bundle::published::{Part, read_file, read_one};
use crd_bundle::{BundleVersion, Digest, Release};
use crd_convert::{Document, DocumentError, FILE_NAME, Lens};
use crd_diagnostics::{Diagnostic, Severity, fail_on, successes};
use crd_generator::file;
use crd_generator::program::Program;
use crd_generator::root::BUNDLES;
use crd_generator::session::{ChartOptions, WorkingFolder};
use crd_graduation::document;
use crd_model::channel::Channel;
use crd_model::constants::{self, Constants};
use crd_model::parallel;
use crd_model::yaml::SharedSchemas;
use crd_review::assembly::{Unstamped, assemble};

use crate::crd_files::{self, Folder};
use crate::files;
use crate::files::Files;
use crate::restoration::Altered;

/// A committed bundle does not have the bytes that it was committed with.
pub(crate) const ALTERED: &str = "bundle::altered";

/// Opens a bundle in `bundles/`.
pub fn open_version(version: BundleVersion, root: &Path, from: WorkingFolder<'_>) -> Result<Release, Vec<Diagnostic>> {
    let folder = root.join(BUNDLES).join(version.to_string());
    if folder.is_dir() {
        let (files, name) = (Folder::new(folder, from), version.to_string());
        let read = ReadBundle::read(&files, &name, Some(version), from);
        return read.release(Unstamped::Refused, &Choice::default()).kept;
    }
    let known = released(root)?.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let known = match known.is_empty() {
        true => "`bundles/` contains no bundle".to_owned(),
        false => format!("the bundles are {known}"),
    };
    let help = format!("{known}; `{} import` adds published CRDs", from.program.call());
    Err(file::error("bundle::unknown", folder, "is not a bundle of `bundles/`").help(help).into())
}

/// The versions in `bundles/`, lowest first.
pub fn released(root: &Path) -> Result<Vec<BundleVersion>, Vec<Diagnostic>> {
    let folder = root.join(BUNDLES);
    let (mut versions, mut errors) = (Vec::new(), Vec::new());
    match fs::metadata(&folder) {
        Ok(metadata) if metadata.is_dir() => {}
        Ok(metadata) => return Err(file::wrong_kind(folder, metadata.file_type(), "folder").into()),
        Err(error) if error.kind() == ErrorKind::NotFound && !file::leads_nowhere(&folder) => return Ok(versions),
        Err(error) => return Err(file::cannot(folder, "read", &error).into()),
    }
    let (schemas, repositories, charts) = (&SharedSchemas::default(), &Arc::default(), &ChartOptions::default());
    let from = WorkingFolder { path: root, program: Program::default(), sources: &[], charts, schemas, repositories };
    for (name, entry) in Folder::new(folder.clone(), from).entries("")? {
        match (name.parse(), entry) {
            (Ok(version), Entry::Folder) => versions.push(version),
            // A folder with a misspelt version would be missing in the history.
            (Err(error), Entry::Folder) if is_nearly_a_version(&name) => {
                let predicate = format!("is not the name of a bundle: {error}");
                let error = file::error("bundle::version", folder.join(&name), predicate);
                errors.push(error.help(format!("rename the folder, or move it away from `{BUNDLES}`")));
            }
            (_, Entry::Unreadable(error)) if is_nearly_a_version(&name) => errors.push(error),
            _ => {}
        }
    }
    versions.sort();
    if errors.is_empty() { Ok(versions) } else { Err(errors) }
}

/// True for names such as `1.6.0` and `v1.6`.
fn is_nearly_a_version(name: &str) -> bool {
    name.strip_prefix(['v', 'V']).unwrap_or(name).starts_with(|first: char| first.is_ascii_digit())
}

/// A bundle whose files were read, before the choice between CRDs of one name.
#[derive(Default)]
pub(crate) struct ReadBundle {
    name: String,
    /// Its name in errors.
    shown: String,
    /// The version in the name of a folder of `bundles/`.
    version: Option<BundleVersion>,
    /// The version in the name of another source.
    of_name: Option<BundleVersion>,
    parts: Vec<Part>,
    manifest: Option<(BundleManifest, Digest)>,
    constants: Option<Constants>,
    lenses: Vec<Lens>,
    /// The errors of files next to the CRDs.
    errors: Vec<Diagnostic>,
}

impl ReadBundle {
    /// A bundle of CRDs alone.
    pub(crate) fn new(name: String, parts: Vec<Part>) -> Self {
        Self { shown: name.clone(), name, parts, ..Self::default() }
    }

    /// The same with the version in the name of its source.
    pub(crate) fn with_version_of_name(self, of_name: Option<BundleVersion>) -> Self {
        Self { of_name, ..self }
    }

    /// Reads a folder with CRDs. `version` is the version in the name of a folder of `bundles/`.
    pub(crate) fn read(files: &dyn Files, name: &str, version: Option<BundleVersion>, from: WorkingFolder<'_>) -> Self {
        let mut errors = Vec::new();
        let known = successes([read_manifest(files)], &mut errors).pop().flatten();
        let manifest = known.as_ref().map(|(manifest, _)| manifest);
        if let (Some(manifest), Some(version)) = (manifest, version)
            && manifest.version != version
        {
            let predicate = format!("contains the version {}, and its folder is named {version}", manifest.version);
            let error = file::error(ALTERED, files.shown(manifest::FILE_NAME), predicate);
            errors.push(error.help("restore the one that was changed"));
        }
        let is_in_history = manifest.is_some() || version.is_some();
        let found = if is_in_history { files_by_channel(files, &mut errors) } else { Vec::new() };
        let listed = manifest.into_iter().flat_map(|manifest| &manifest.files);
        let listed = listed.map(|file| (&*file.path, file.sha256)).collect::<BTreeMap<_, _>>();
        let read = parallel::each(&found, |(channel, path)| {
            let Some(manifest) = manifest else { return read_file(files, path, *channel, from.schemas) };
            let input = files.input(path)?.in_folder(*channel);
            match listed.get(&**path) {
                None => Err(not_listed(files, path)),
                Some(digest) if Digest::of(&input.bytes) != *digest => {
                    Err(altered(files, path, *digest, manifest, from))
                }
                Some(_) => Ok(read_one(input, from.schemas)),
            }
        });
        let mut parts = successes(read, &mut errors);
        if !is_in_history {
            parts.extend(crd_files::read(files, from));
        }
        let constants = successes([read_constants(files)], &mut errors).pop().flatten();
        let lenses = successes([read_lenses(files)], &mut errors).pop().unwrap_or_default();
        if let Some(manifest) = manifest {
            errors.extend(other_files(files, &found, &listed, manifest, from));
        }
        let (name, shown) = (name.to_owned(), files.shown(""));
        Self { name, shown, version, of_name: None, parts, constants, lenses, errors, manifest: known }
    }

    /// The release. Between CRDs of one name, `choice` chooses.
    pub(crate) fn release(self, unstamped: Unstamped, choice: &Choice) -> Chosen<Release> {
        let Self { name, shown, version, of_name, parts, manifest, constants, lenses, errors } = self;
        if !errors.is_empty() {
            return Chosen { kept: Err(errors), used: Part::used(&parts) };
        }
        let (manifest, manifest_digest) = manifest.unzip();
        assemble(shown, version, parts, unstamped, choice).and_then(|bundle| {
            if manifest.is_some() {
                // We have written it, and write nothing that a server leaves out.
                let odd =
                    bundle.warnings.iter().map(|warning| Diagnostic { severity: Severity::Error, ..warning.clone() });
                fail_on(odd.collect())?;
            }
            let mut bundle = Release { name, constants, lenses, manifest_digest, ..bundle };
            bundle.version = version.or(manifest.as_ref().map(|manifest| manifest.version)).or(bundle.version);
            // A channel without CRDs has no files.
            for channel in manifest.iter().flat_map(|manifest| &manifest.channels) {
                bundle.channels.entry(*channel).or_default();
            }
            bundle.released = manifest.as_ref().and_then(|manifest| manifest.released);
            bundle.manifest = manifest;
            // Only if its CRDs state nothing: neither a version, nor a month or several versions.
            if !bundle.has_version_stamps() {
                bundle.version = bundle.version.or(of_name);
            }
            Ok(bundle)
        })
    }
}

/// The files of a bundle of the history that can contain CRDs, with the channel of their folder. Next to the folders of channels are the files of
/// a release.
fn files_by_channel(files: &dyn Files, errors: &mut Vec<Diagnostic>) -> Vec<(Option<Channel>, String)> {
    const OTHERS: [&str; 5] =
        [manifest::FILE_NAME, constants::FILE_NAME, FILE_NAME, document::FILE_NAME, crd_stamps::features::FILE_NAME];
    let mut folders = Vec::new();
    for channel in Channel::ALL {
        match files.entry(channel.name()) {
            Some(Entry::Folder) => folders.push((Some(channel), channel.name())),
            Some(Entry::Unreadable(error)) => errors.push(error),
            Some(Entry::File) | None => {}
        }
    }
    if folders.is_empty() {
        folders.push((None, ""));
    }
    let mut found = Vec::new();
    for (channel, root) in folders {
        for (name, entry) in successes([files.entries(root)], errors).into_iter().flatten() {
            match entry {
                _ if is_hidden(files, &join(root, &name), &entry)
                    || is_kustomization(&name)
                    || OTHERS.contains(&&*name) => {}
                Entry::File if can_have_crds(&name) => found.push((channel, join(root, &name))),
                Entry::Unreadable(error) => errors.push(error),
                _ => {}
            }
        }
    }
    found
}

/// The errors of files without CRDs: those that the manifest does not list, and listed ones that changed or are missing.
fn other_files(
    files: &dyn Files,
    found: &[(Option<Channel>, String)],
    listed: &BTreeMap<&str, Digest>,
    manifest: &BundleManifest,
    from: WorkingFolder<'_>,
) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    let is_found = |path: &str| found.iter().any(|(_, found)| found == path);
    for path in files::visible(files, "", &|_| true, &mut errors) {
        if path != manifest::FILE_NAME && !listed.contains_key(&*path) && !is_found(&path) {
            errors.push(not_listed(files, &path));
        }
    }
    for (path, digest) in listed {
        if is_found(path) {
            continue;
        }
        let read = match files.entry(path) {
            Some(Entry::File) => files.bytes(path),
            Some(Entry::Unreadable(error)) => Err(error),
            Some(Entry::Folder) | None => Ok(Vec::new()),
        };
        match read {
            Ok(bytes) if Digest::of(&bytes) == *digest => {}
            Ok(_) => errors.push(altered(files, path, *digest, manifest, from)),
            Err(error) => errors.push(error),
        }
    }
    errors
}

fn not_listed(files: &dyn Files, path: &str) -> Diagnostic {
    let predicate = format!("is not listed in {}; a committed bundle never changes", manifest::FILE_NAME);
    file::error(ALTERED, files.shown(path), predicate).help("move the file away")
}

/// A listed file that has other bytes, or is missing.
fn altered(
    files: &dyn Files,
    path: &str,
    digest: Digest,
    manifest: &BundleManifest,
    from: WorkingFolder<'_>,
) -> Diagnostic {
    let file = manifest::FILE_NAME;
    let predicate = match files.entry(path) {
        Some(_) => format!("does not have the checksum that {file} lists; a committed bundle never changes"),
        None => format!("is missing, and {file} lists it; a committed bundle never changes"),
    };
    let error = file::error(ALTERED, files.shown(path), predicate);
    let Some(folder) = files.disk() else { return error.help("name a commit with the released files") };
    let full = folder.join(path);
    let altered = Altered { folder, path, shown: from.shown(&full), digest, version: manifest.version };
    error.help(altered.help(manifest.imported))
}

/// The constants of a bundle, if it lists them.
fn read_constants(files: &dyn Files) -> Result<Option<Constants>, Vec<Diagnostic>> {
    let Some(text) = files::text(files, constants::FILE_NAME)? else { return Ok(None) };
    let shown = files.shown(constants::FILE_NAME);
    let error = |message| Diagnostic::error("bundle::constants", message).at_file(&shown);
    Constants::from_json(&text).map(Some).map_err(|messages| messages.into_iter().map(error).collect())
}

/// The lenses that a bundle was published with.
fn read_lenses(files: &dyn Files) -> Result<Vec<Lens>, Vec<Diagnostic>> {
    let Some(text) = files::text(files, FILE_NAME)? else { return Ok(Vec::new()) };
    let shown = files.shown(FILE_NAME);
    let error = |error: DocumentError| {
        let message = format!("{}: {}", error.path, error.message);
        Diagnostic::error("bundle::conversions", message).at_file(&shown).help(error.help)
    };
    let document = Document::read(&text).map_err(|errors| errors.into_iter().map(error).collect::<Vec<_>>())?;
    Ok(document.lenses)
}

/// A manifest and its digest, if it exists.
fn read_manifest(files: &dyn Files) -> Result<Option<(BundleManifest, Digest)>, Vec<Diagnostic>> {
    let Some(text) = files::text(files, manifest::FILE_NAME)? else { return Ok(None) };
    let manifest = BundleManifest::from_yaml(&text, Path::new(&files.shown(manifest::FILE_NAME)))?;
    Ok(Some((manifest, Digest::of(&text))))
}
