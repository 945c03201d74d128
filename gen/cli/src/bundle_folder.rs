//! Bundles in folders: the files of each channel, compared with the manifest if there is one.
//!
//! Invariants: a file whose digest is not that of the manifest is an error, and so is a file that the manifest does not list. All errors are
//! reported together.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crd_bundle::manifest::{self, BundleManifest};
use crd_bundle::published::choice::Choice;
use crd_bundle::published::layout::{can_have_crds, is_kustomization};
use crd_bundle::published::read_one;
use crd_bundle::published::tree::{Entry, Tree};
use crd_bundle::{BundleVersion, Digest};
use crd_convert::{Document, DocumentError, FILE_NAME, Lens};
use crd_diagnostics::{Diagnostic, Severity, fail_on, successes};
use crd_graduation::document;
use crd_model::channel::Channel;
use crd_model::constants::{self, Constants};
use crd_model::parallel;
use crd_review::assembly::{Unstamped, assemble};
use crd_review::history::Bundle;

use crate::crd_files::Folder;
use crate::restoration::Altered;
use crate::root::BUNDLES;
use crate::session::WorkingFolder;
use crate::{crd_files, file, input, walk};

/// Opens a bundle in `bundles/`.
pub(crate) fn open_version(
    version: BundleVersion,
    root: &Path,
    from: WorkingFolder<'_>,
) -> Result<Bundle, Vec<Diagnostic>> {
    let folder = root.join(BUNDLES).join(version.to_string());
    if folder.is_dir() {
        return open_folder(&folder, &version.to_string(), Some(version), Unstamped::Refused, &Choice::default(), from);
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
pub(crate) fn released(root: &Path) -> Result<Vec<BundleVersion>, Vec<Diagnostic>> {
    let folder = root.join(BUNDLES);
    let (mut versions, mut errors) = (Vec::new(), Vec::new());
    match fs::metadata(&folder) {
        Ok(metadata) if metadata.is_dir() => {}
        Ok(metadata) => return Err(file::wrong_kind(folder, metadata.file_type(), "folder").into()),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(versions),
        Err(error) => return Err(file::cannot(folder, "read", &error).into()),
    }
    for entry in successes(walk::entries(&folder), &mut errors) {
        let path = entry.into_path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match name.parse() {
            _ if !path.is_dir() => {}
            Ok(version) => versions.push(version),
            // A folder with a misspelt version would be missing in the history.
            Err(error) if is_nearly_a_version(&name) => {
                let error = file::error("bundle::version", &path, format!("is not the name of a bundle: {error}"));
                errors.push(error.help(format!("rename the folder, or move it away from `{BUNDLES}`")));
            }
            Err(_) => {}
        }
    }
    versions.sort();
    if errors.is_empty() { Ok(versions) } else { Err(errors) }
}

/// True for names such as `1.6.0` and `v1.6`.
fn is_nearly_a_version(name: &str) -> bool {
    name.strip_prefix(['v', 'V']).unwrap_or(name).starts_with(|first: char| first.is_ascii_digit())
}

/// Opens a folder with CRDs. `version` is the version in the name of a folder of `bundles/`.
pub(crate) fn open_folder(
    folder: &Path,
    name: &str,
    version: Option<BundleVersion>,
    unstamped: Unstamped,
    choice: &Choice,
    from: WorkingFolder<'_>,
) -> Result<Bundle, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let manifest_path = folder.join(manifest::FILE_NAME);
    let (manifest, manifest_digest) = match read_manifest(&manifest_path) {
        Ok(manifest) => manifest.unzip(),
        Err(error) => {
            errors.extend(error);
            (None, None)
        }
    };
    if let (Some(manifest), Some(version)) = (&manifest, version)
        && manifest.version != version
    {
        let predicate = format!("contains the version {}, and its folder is named {version}", manifest.version);
        let error = file::error("bundle::altered", manifest_path, predicate);
        errors.push(error.help("restore the one that was changed"));
    }
    let is_in_history = manifest.is_some() || version.is_some();
    let found = if is_in_history { files_by_channel(folder, from, &mut errors) } else { Vec::new() };
    let listed = manifest.iter().flat_map(|manifest| &manifest.files);
    let listed = listed.map(|file| (&*file.path, file.sha256)).collect::<BTreeMap<_, _>>();
    let files = found.iter().map(|(channel, path)| (*channel, path, from.shown(path).display().to_string()));
    let read = parallel::each(&files.collect::<Vec<_>>(), |(channel, path, shown)| {
        if manifest.is_none() {
            return input::part(path, shown, *channel, choice);
        }
        let input = input::named(path, shown)?.in_folder(*channel);
        match (&manifest, listed.get(&*walk::relative(folder, path))) {
            (None, _) => {}
            (Some(_), None) => return Err(not_listed(path)),
            (Some(manifest), Some(digest)) if Digest::of(&input.bytes) != *digest => {
                return Err(altered(folder, path, Path::new(shown), *digest, manifest));
            }
            (Some(_), Some(_)) => {}
        }
        Ok(read_one(input, choice))
    });
    let mut parts = successes(read, &mut errors);
    if !is_in_history {
        parts.extend(crd_files::read(folder, choice, from));
    }
    let constants = match read_constants(&folder.join(constants::FILE_NAME)) {
        Ok(constants) => constants,
        Err(more) => {
            errors.extend(more);
            None
        }
    };
    let lenses = match read_lenses(&folder.join(FILE_NAME)) {
        Ok(lenses) => lenses,
        Err(more) => {
            errors.extend(more);
            Vec::new()
        }
    };
    if let Some(manifest) = &manifest {
        errors.extend(other_files(folder, &found, &listed, manifest, from));
    }
    fail_on(errors)?;
    let shown = from.shown(folder).display().to_string();
    let mut bundle = assemble(shown, version, parts, unstamped, choice)?;
    if manifest.is_some() {
        // We have written it, and write nothing that a server leaves out.
        let odd = bundle.warnings.iter().map(|warning| Diagnostic { severity: Severity::Error, ..warning.clone() });
        fail_on(odd.collect())?;
    }
    name.clone_into(&mut bundle.name);
    bundle.version = version.or(manifest.as_ref().map(|manifest| manifest.version)).or(bundle.version);
    // A channel without CRDs has no files.
    for channel in manifest.iter().flat_map(|manifest| &manifest.channels) {
        bundle.channels.entry(*channel).or_default();
    }
    bundle.constants = constants;
    bundle.lenses = lenses;
    bundle.manifest = manifest;
    bundle.manifest_digest = manifest_digest;
    Ok(bundle)
}

/// The files of a bundle of the history that can contain CRDs, with the channel of their folder. Next to the folders of channels are the files of
/// a release.
fn files_by_channel(
    folder: &Path,
    from: WorkingFolder<'_>,
    errors: &mut Vec<Diagnostic>,
) -> Vec<(Option<Channel>, PathBuf)> {
    const OTHERS: [&str; 4] = [manifest::FILE_NAME, constants::FILE_NAME, FILE_NAME, document::FILE_NAME];
    let below = Channel::ALL.map(|channel| (Some(channel), folder.join(channel.name())));
    let mut folders = below.into_iter().filter(|(_, folder)| folder.is_dir()).collect::<Vec<_>>();
    if folders.is_empty() {
        folders.push((None, folder.to_owned()));
    }
    let mut found = Vec::new();
    for (channel, root) in folders {
        for (name, entry) in successes([Folder { root: &root, from }.entries("")], errors).into_iter().flatten() {
            match entry {
                _ if name.starts_with('.') || is_kustomization(&name) || OTHERS.contains(&&*name) => {}
                Entry::File if can_have_crds(&name) => found.push((channel, root.join(name))),
                Entry::Unreadable(error) => errors.push(error),
                _ => {}
            }
        }
    }
    found
}

/// The errors of files without CRDs: those that the manifest does not list, and listed ones that changed or are missing.
fn other_files(
    folder: &Path,
    found: &[(Option<Channel>, PathBuf)],
    listed: &BTreeMap<&str, Digest>,
    manifest: &BundleManifest,
    from: WorkingFolder<'_>,
) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    let is_found = |path: &Path| found.iter().any(|(_, found)| found == path);
    for entry in successes(walk::visible(folder), &mut errors) {
        let below = walk::relative(folder, entry.path());
        let is_known = below == manifest::FILE_NAME || listed.contains_key(&*below) || is_found(entry.path());
        if !entry.file_type().is_dir() && !is_known {
            errors.push(not_listed(entry.path()));
        }
    }
    for (below, digest) in listed {
        let path = folder.join(below);
        if is_found(&path) {
            continue;
        }
        match input::bytes(&path) {
            Ok(Some(bytes)) if Digest::of(&bytes) == *digest => {}
            Ok(_) => errors.push(altered(folder, &path, from.shown(&path), *digest, manifest)),
            Err(error) => errors.push(error),
        }
    }
    errors
}

fn not_listed(path: &Path) -> Diagnostic {
    let predicate = format!("is not listed in {}; a committed bundle never changes", manifest::FILE_NAME);
    file::error("bundle::altered", path, predicate).help("move the file away")
}

/// A listed file that has other bytes, or is missing.
fn altered(folder: &Path, path: &Path, shown: &Path, digest: Digest, manifest: &BundleManifest) -> Diagnostic {
    let file = manifest::FILE_NAME;
    let predicate = match path.exists() {
        true => format!("does not have the checksum that {file} lists; a committed bundle never changes"),
        false => format!("is missing, and {file} lists it; a committed bundle never changes"),
    };
    let relative = walk::relative(folder, path);
    let altered = Altered { folder, path: &relative, shown, digest, version: manifest.version };
    file::error("bundle::altered", path, predicate).help(altered.help(manifest.imported))
}

/// The constants of a bundle, if it lists them.
fn read_constants(path: &Path) -> Result<Option<Constants>, Vec<Diagnostic>> {
    let Some(text) = input::text(path)? else { return Ok(None) };
    let error = |message| Diagnostic::error("bundle::constants", message).at_file(path);
    Constants::from_json(&text).map(Some).map_err(|messages| messages.into_iter().map(error).collect())
}

/// The lenses that a bundle was published with.
fn read_lenses(path: &Path) -> Result<Vec<Lens>, Vec<Diagnostic>> {
    let Some(text) = input::text(path)? else { return Ok(Vec::new()) };
    let error = |error: DocumentError| {
        let message = format!("{}: {}", error.path, error.message);
        Diagnostic::error("bundle::conversions", message).at_file(path).help(error.help)
    };
    let document = Document::read(&text).map_err(|errors| errors.into_iter().map(error).collect::<Vec<_>>())?;
    Ok(document.lenses)
}

/// A manifest and its digest, if it exists.
fn read_manifest(path: &Path) -> Result<Option<(BundleManifest, Digest)>, Vec<Diagnostic>> {
    let Some(text) = input::text(path)? else { return Ok(None) };
    let manifest = BundleManifest::from_yaml(&text, path)?;
    Ok(Some((manifest, Digest::of(&text))))
}
