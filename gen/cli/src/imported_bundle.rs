//! Writing of published CRDs as a bundle in `bundles/`.
//!
//! Invariants: an existing bundle never changes: the same CRDs are accepted again, and different ones are refused. The written files have our layout,
//! independent of the layout of the published files. Nothing is written after an error. The folder of a bundle has its name when it is complete,
//! also when the process is killed.

use std::collections::BTreeMap;
use std::path::Path;

use crd_bundle::manifest::{self, BundleManifest, ManifestFile};
use crd_bundle::published::Published;
use crd_bundle::{BundleVersion, Digest, Released, files};
use crd_diagnostics::Diagnostic;
use crd_generator::file;
use crd_generator::folder::present;
use crd_generator::locked_folder::LockedFolder;
use crd_generator::root::BUNDLES;
use crd_generator::session::Session;
use crd_model::channel::Channel;
use crd_model::profile::Profile;
use crd_review::profile::ChosenProfile;

use crate::bundle_folder::open_version;
use crate::{input, publication, walk};

/// What the user states about published CRDs.
pub(crate) struct Statement {
    pub(crate) version: BundleVersion,
    pub(crate) released: Option<Released>,
    pub(crate) profile: Option<Profile>,
    /// The profile of the settings.
    pub(crate) settings: Option<Profile>,
}

/// Writes the CRDs of channels and the manifest. Returns the number of files that changed.
pub(crate) fn write(
    root: &Path,
    statement: &Statement,
    published: Vec<(Channel, Published)>,
    session: &mut Session<'_>,
) -> Result<usize, Vec<Diagnostic>> {
    let Statement { version, .. } = *statement;
    let bundles = root.join(BUNDLES);
    let folder = bundles.join(version.to_string());
    // Locked until all is written, so that two imports cannot mix their files.
    let mut locked = LockedFolder::lock(&bundles, root, session)?;
    // Nothing is written through a symlink or over a file.
    crd_diagnostics::all(published.iter().map(|(channel, _)| present(&folder.join(channel.name()), root)))?;
    let manifest_path = folder.join(manifest::FILE_NAME);
    let known = match input::text(&manifest_path)? {
        Some(text) => Some(BundleManifest::from_yaml(&text, &manifest_path)?),
        None => None,
    };
    if known.as_ref().is_some_and(|manifest| !manifest.imported) {
        let predicate = format!("is the manifest of a bundle released here, so {version} cannot be imported");
        return Err(file::error("bundle::committed", manifest_path, predicate).into());
    }
    if known.is_some() {
        // The existing files remain, so they must have the digests of the manifest.
        open_version(version, root, session.working_folder())?;
    } else if folder.is_dir() {
        let predicate = format!("already exists and has no {}", manifest::FILE_NAME);
        let error = file::error("bundle::manifest", folder, predicate);
        return Err(error.help("move it away, or import another version").into());
    }
    let (mut manifest, mut written) = (known.clone(), BTreeMap::new());
    for (channel, published) in published {
        let of_stamps = ChosenProfile::of_stamps(published.crds.iter().map(|crd| &crd.origin.stamps)).profile;
        let texts = files(published.crds.into_iter().map(|crd| crd.crd));
        let texts =
            texts.into_iter().map(|file| (format!("{channel}/{}", file.name), file.text)).collect::<BTreeMap<_, _>>();
        let profile = statement.profile.or(manifest.as_ref().map(|known| known.profile)).or(statement.settings);
        let with = with_channel(manifest.as_ref(), statement, channel, profile.unwrap_or(of_stamps), &texts);
        match &known {
            Some(known) if known.channels.contains(&channel) => {
                if manifest.as_ref() != Some(&with) {
                    return Err(differs(known, &with, &folder, version).into());
                }
            }
            _ => written.extend(texts.into_iter().map(|(path, text)| (path, text.into_bytes()))),
        }
        manifest = Some(with);
    }
    let Some(manifest) = manifest.filter(|_| !written.is_empty()) else { return Ok(0) };
    let old = publication::files(walk::below(&folder), &folder)?;
    let number = written.len().saturating_add(1);
    let mut files = old.clone().into_iter().chain(written).collect::<BTreeMap<_, _>>();
    files.insert(manifest::FILE_NAME.to_owned(), manifest.to_yaml().into_bytes());
    let staged = locked.temporary(&bundles);
    publication::place(&publication::Tree { target: folder, files }, &old, staged)?;
    Ok(number)
}

/// The manifest with the files of one more channel.
fn with_channel(
    known: Option<&BundleManifest>,
    statement: &Statement,
    channel: Channel,
    profile: Profile,
    texts: &BTreeMap<String, String>,
) -> BundleManifest {
    let Statement { version, released, .. } = *statement;
    let mut channels = known.map(|manifest| manifest.channels.clone()).unwrap_or_default();
    channels.push(channel);
    channels.sort();
    channels.dedup();
    let prefix = format!("{channel}/");
    let listed = known.into_iter().flat_map(|manifest| &manifest.files);
    let mut files = listed.filter(|file| !file.path.starts_with(&prefix)).cloned().collect::<Vec<_>>();
    files.extend(texts.iter().map(|(path, text)| ManifestFile { path: path.clone(), sha256: Digest::of(text) }));
    files.sort();
    BundleManifest {
        version,
        channels,
        baseline: None,
        earlier: Vec::new(),
        imported: true,
        profile,
        files,
        tombstones: None,
        verdict: None,
        waivers: None,
        released: released.or(known.and_then(|manifest| manifest.released)),
        tool: None,
    }
}

/// An error that names the first file of a bundle that would change.
fn differs(known: &BundleManifest, manifest: &BundleManifest, folder: &Path, version: BundleVersion) -> Diagnostic {
    let differing = manifest.files.iter().find(|file| !known.files.contains(file));
    let missing = || known.files.iter().find(|file| manifest.files.iter().all(|other| other.path != file.path));
    let path = differing.or_else(missing).map_or(folder.to_owned(), |file| folder.join(&file.path));
    file::error("bundle::committed", path, "differs from the imported CRDs; an existing bundle never changes")
        .help(format!("remove bundles/{version} if it was a mistake"))
}
