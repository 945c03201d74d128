//! The commit rule of a release: two trees, `bundles/VERSION/` and `dist/`, are published completely or not at all.
//!
//! Steps, under one lock (`lock`): check the targets (`target`) → remove what killed runs left → stage each tree next to its target, synced
//! (`staging`) → put `dist/` in place (`exchange`) → rename the bundle, without replacing anything: that is the commit point → sync →
//! delete the old `dist/`.
//!
//! Invariants:
//! * Whenever the process is killed, each tree is the old one, the complete new one, or absent; the next run removes the rest and succeeds.
//! * A failure before the commit point changes nothing: the old folders are back, the same ones and not copies.
//! * Nothing is written or deleted through a symlink, and no file is deleted that a release has not written.
//! * File names in the trees come from validated names of groups, resources and catalogues, and from versions.

mod exchange;
mod lock;
mod staging;
mod target;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

// The file of `dist/` that lists all other files.
use crd_release::sums::FILE as SUMS;
pub(crate) use lock::{ReleaseLock, hold};

use crd_diagnostics::{Diagnostic, all, fail_on};
use walkdir::DirEntry;

use crate::walk;
use crd_generator::file::folder_of;
use crd_generator::root::BUNDLES;
use crd_generator::temporary::Temporary;
use crd_generator::{file, locked_folder, renaming, temporary, transaction};
use exchange::Placed;
use staging::{BUNDLE_PREFIX, DIST_PREFIX};

/// The bytes of files by path, with `/`: `standard/example.com_things.yaml`.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// A folder with its contents.
#[derive(Debug)]
pub(crate) struct Tree {
    /// Its path, below the root.
    pub(crate) target: PathBuf,
    pub(crate) files: Files,
}

/// What a release publishes.
#[derive(Debug)]
pub(crate) struct Publication<'a> {
    /// The parent folder of `bundles`.
    pub(crate) root: &'a Path,
    /// `bundles/VERSION`; `None` if it exists with the same bytes.
    pub(crate) bundle: Option<Tree>,
    /// `dist`: its SHA256SUMS lists every other file, and that of a folder in it everything below. Otherwise the next release could not replace it.
    pub(crate) dist: Tree,
}

/// The result, when both trees are in place.
#[derive(Debug)]
pub(crate) struct Published {
    /// Why the old `dist/` still exists under another name, if it does. The next release tries again to remove it.
    pub(crate) left: Option<Diagnostic>,
}

impl Publication<'_> {
    /// Everything that prevents the publication; changes nothing. [`Publication::publish`] checks again.
    pub(crate) fn check(&self) -> Vec<Diagnostic> {
        let bundle = self.bundle.as_ref().map(|bundle| bundle.target.as_path());
        target::errors(self.root, bundle, &self.dist.target)
    }

    /// Publishes both trees. The first error is the cause; the rest report what could not be undone after it.
    pub(crate) fn publish(&self, lock: &ReleaseLock) -> Result<Published, Vec<Diagnostic>> {
        fail_on(self.check())?;
        let (bundles, dist_parent) = (lock.bundles(), folder_of(&self.dist.target));
        staging::clear(bundles, BUNDLE_PREFIX)?;
        staging::clear(dist_parent, DIST_PREFIX)?;
        // Other commands write to `bundles` too.
        locked_folder::clear(bundles, None);
        let dist = staging::write(&self.dist, staging::name(dist_parent, DIST_PREFIX, ""))?;
        let bundle = match &self.bundle {
            Some(tree) => {
                Some((&tree.target, staging::write(tree, staging::name(folder_of(&tree.target), BUNDLE_PREFIX, ""))?))
            }
            None => None,
        };
        let placed = put(dist, &self.dist.target, target::only_ours)?;
        if let Some((target, bundle)) = bundle {
            if let Err(error) = renaming::rename(&bundle.0, target) {
                let mut errors = vec![match error.kind() {
                    ErrorKind::AlreadyExists => target::bundle_is_there(target),
                    _ => cannot(target, "put in place", &error),
                }];
                errors.extend(placed.undo().err());
                return Err(errors);
            }
            bundle.keep();
            if let Err(error) = sync_folder(folder_of(target)) {
                placed.remove_old().ok();
                let error = error.help(
                    "The release is in place, but a loss of power may still undo it: check the disk, and run `sync`",
                );
                return Err(error.into());
            }
        }
        Ok(Published { left: placed.remove_old().err() })
    }
}

/// Puts a tree at its target, where these files are: the folder has its name when it is complete. It is written to the temporary path.
pub(crate) fn place(tree: &Tree, old: &Files, temporary: PathBuf) -> Result<(), Vec<Diagnostic>> {
    let is_old = |folder: &Path| match files(walk::below(folder), folder)? == *old {
        true => Ok(()),
        false => Err(transaction::changed(&tree.target).into()),
    };
    let placed = put(staging::write(tree, temporary)?, &tree.target, is_old)?;
    // What cannot be removed is removed by the next run.
    let _ = placed.remove_old();
    Ok(())
}

/// Puts a staged tree at its target, and syncs that. Another program may have changed the old folder until it was replaced, which `check` finds. A
/// failure changes nothing.
fn put(
    staged: Temporary,
    target: &Path,
    check: impl FnOnce(&Path) -> Result<(), Vec<Diagnostic>>,
) -> Result<Placed, Vec<Diagnostic>> {
    let placed = Placed::put(staged, target)?;
    // The sync keeps the order on the disk.
    let settled = placed.old().map_or(Ok(()), check).and_then(|()| Ok(sync_folder(folder_of(target))?));
    match settled {
        Ok(()) => Ok(placed),
        Err(errors) => Err(errors.into_iter().chain(placed.undo().err()).collect()),
    }
}

/// The files among these entries. Their paths are relative to `base`; symlinks are errors.
pub(crate) fn files(
    entries: impl Iterator<Item = Result<DirEntry, Diagnostic>>,
    base: &Path,
) -> Result<Files, Vec<Diagnostic>> {
    let files = entries.filter(|entry| !entry.as_ref().is_ok_and(|entry| entry.file_type().is_dir())).map(|entry| {
        let path = entry?.into_path();
        Ok::<_, Diagnostic>(file::existing(&path)?.map(|bytes| (walk::relative(base, &path), bytes)))
    });
    Ok(all(files)?.into_iter().flatten().collect())
}

/// Whether a path below the root, with `/`, belongs to a command that runs or was killed. Such paths do not count as uncommitted changes.
pub(crate) fn is_own(path: &str) -> bool {
    let path = path.trim_end_matches('/');
    if path.split('/').any(|name| temporary::levels(name.as_ref()).is_some()) {
        return true;
    }
    match path.split_once('/') {
        Some((BUNDLES, below)) => {
            let name = below.split('/').next().unwrap_or_default();
            below == lock::FILE_NAME || staging::is_leftover(name, BUNDLE_PREFIX)
        }
        Some((name, _)) => staging::is_leftover(name, DIST_PREFIX),
        None => staging::is_leftover(path, DIST_PREFIX),
    }
}

/// A failure of the operating system. `action` completes "cannot be …".
fn cannot(path: &Path, action: &str, error: &io::Error) -> Diagnostic {
    let advice = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => ": free some space and run it again",
        ErrorKind::FileTooLarge => ": raise the limit of file sizes (`ulimit -f`) and run it again",
        ErrorKind::ReadOnlyFilesystem => ": mount it writable, or use a clone on a writable disk",
        ErrorKind::PermissionDenied => ": change the permissions, or use your own clone",
        _ => "",
    };
    file::error("file::io", path, format!("cannot be {action}: {error}{advice}"))
}

/// Syncs a folder, so that its names survive a loss of power.
fn sync_folder(folder: &Path) -> Result<(), Diagnostic> {
    if !cfg!(unix) {
        // Folders cannot be opened as files on this system.
        return Ok(());
    }
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        // The filesystem does not support it for folders.
        Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => Ok(()),
        other => other.map_err(|error| cannot(folder, "synced to the disk", &error)),
    }
}

/// Gives a file or folder its mode, whatever the umask.
#[cfg(unix)]
fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(mode))
}

/// This system has no modes.
#[cfg(not(unix))]
fn set_mode(_: &File, _: u32) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests;
