//! A bundle folder: its files are what its manifest states, and the bundles before it did not change.

use std::path::Path;

use crd_bundle::Digest;
use crd_bundle::manifest::{self, BundleManifest};
use crd_bundle::published::choice::Choice;
use crd_generator::file::folder_of;
use crd_generator::session::WorkingFolder;
use crd_release::verification::Verification;
use crd_review::assembly::Unstamped;

use crate::bundle_folder::{ALTERED, ReadBundle};
use crate::crd_files::Folder;
use crate::input;

/// Verifies a bundle folder.
pub(super) fn bundle(folder: &Path, from: WorkingFolder<'_>, result: &mut Verification<'_>) {
    let files = Folder::new(folder.to_owned(), from);
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let read = ReadBundle::read(&files, &name, name.parse().ok(), from);
    let read = read.release(Unstamped::Refused, &Choice::default()).kept;
    if let Some(manifest) = result.read(read).and_then(|release| release.manifest) {
        manifest.files.iter().for_each(|_| result.pass("file"));
    }
    // The chain is checked even if a file differs.
    let text = input::text(&folder.join(manifest::FILE_NAME)).ok().flatten().unwrap_or_default();
    let Ok(manifest) = BundleManifest::from_yaml(&text, folder) else { return };
    for earlier in manifest.earlier {
        let path = folder_of(folder).join(earlier.version.to_string()).join(manifest::FILE_NAME);
        match result.read(input::bytes(&path)) {
            Some(Some(bytes)) if Digest::of(&bytes) == earlier.sha256 => result.pass("earlier manifest"),
            Some(Some(_)) => {
                let predicate = format!("changed after the release of {}", manifest.version);
                result.refuse(ALTERED, &path, &predicate, "restore it; a committed bundle never changes");
            }
            Some(None) => {
                result.unchecked.push(format!("the earlier bundle {}, which does not exist", earlier.version))
            }
            None => {}
        }
    }
}
