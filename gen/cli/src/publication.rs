//! The commit rule of a release: two trees, `bundles/VERSION/` and `dist/`, come into place whole or not at all.
//!
//! Fed by the command `release`, with bytes in memory, after its gate. Read by nobody; the filesystem is what changes.
//!
//! The way, under one lock (`lock`): check the names (`path`) and what stands in the way (`target`) → remove what killed runs left →
//! stage each tree beside its target, synced (`staging`) → put `dist/` in place (`exchange`) → rename the bundle, without replacing
//! anything: that is the commit point → sync → delete the old `dist/`.
//!
//! Invariants:
//! * Whenever the process is killed, each tree is the old one, the new one whole, or absent; the next run removes what was left and succeeds.
//! * A failure before the commit point changes nothing: what was there is there again, as the very folder it was.
//! * Nothing is written or deleted through a symlink, and no file is deleted that a release has not written.

mod exchange;
mod lock;
mod path;
mod staging;
mod target;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

// The file of `dist/` that lists all others.
use crd_release::sums::FILE as SUMS;
pub(crate) use lock::{ReleaseLock, hold};

use crate::fault::Fault;
use crate::source::BUNDLES;
use exchange::Placed;
use staging::{BUNDLE_PREFIX, DIST_PREFIX, Staged};

/// A folder with all that is in it.
#[derive(Debug)]
pub(crate) struct Tree {
    /// Where it belongs; below the root.
    pub(crate) target: PathBuf,
    /// The bytes of its files by path, with `/`: `standard/example.com_things.yaml`.
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

/// What a release puts in place.
#[derive(Debug)]
pub(crate) struct Publication<'a> {
    /// The folder that `bundles` lies in.
    pub(crate) root: &'a Path,
    /// `bundles/VERSION`; `None` if it is there already, with the very same bytes.
    pub(crate) bundle: Option<Tree>,
    /// `dist`: flat, and its SHA256SUMS lists every other file, or the next release could not replace it.
    pub(crate) dist: Tree,
}

/// What came of it, when all is in place.
#[derive(Debug)]
pub(crate) struct Published {
    /// Why the old `dist/` is still there under another name, if it is: worth a note. The next release tries again.
    pub(crate) left: Option<Fault>,
}

impl Publication<'_> {
    /// Everything that stands in the way; changes nothing. [`Publication::publish`] asks again.
    pub(crate) fn check(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        for tree in self.bundle.iter().chain([&self.dist]) {
            faults.extend(path::faults(tree));
        }
        faults.extend(path::unlisted(&self.dist));
        let bundle = self.bundle.as_ref().map(|bundle| bundle.target.as_path());
        faults.extend(target::faults(self.root, bundle, &self.dist.target));
        faults
    }

    /// Puts everything in place. Of several faults, all but the first tell what could not be undone after it.
    pub(crate) fn publish(&self, lock: &ReleaseLock) -> Result<Published, Vec<Fault>> {
        let faults = self.check();
        if !faults.is_empty() {
            return Err(faults);
        }
        let one = |fault| vec![fault];
        let (bundles, beside_dist) = (lock.bundles(), folder_of(&self.dist.target));
        staging::clear(bundles, BUNDLE_PREFIX)?;
        staging::clear(beside_dist, DIST_PREFIX)?;
        let dist = Staged::write(&self.dist, staging::name(beside_dist, DIST_PREFIX)).map_err(one)?;
        let bundle = match &self.bundle {
            Some(tree) => Some((
                &tree.target,
                Staged::write(tree, staging::name(folder_of(&tree.target), BUNDLE_PREFIX)).map_err(one)?,
            )),
            None => None,
        };
        let placed = Placed::put(dist, &self.dist.target).map_err(one)?;
        // Somebody may have put a file there while the old folder was being replaced; and the order must be kept on the disk too.
        let settled =
            placed.old().map_or(Ok(()), target::only_ours).and_then(|()| sync_folder(beside_dist).map_err(one));
        if let Err(mut faults) = settled {
            faults.extend(placed.undo().err());
            return Err(faults);
        }
        if let Some((target, bundle)) = bundle {
            if let Err(error) = exchange::rename(bundle.path(), target) {
                let mut faults = vec![match error.kind() {
                    ErrorKind::AlreadyExists => target::bundle_is_there(target),
                    _ => fault(target, "put in place", &error),
                }];
                faults.extend(placed.undo().err());
                return Err(faults);
            }
            bundle.keep();
            if let Err(mut fault) = sync_folder(folder_of(target)) {
                placed.remove_old().ok();
                if let Fault::File { message, .. } = &mut fault {
                    *message = format!(
                        "{message}. The release is in place, but a loss of power may still undo it: see to the disk, and run `sync`"
                    );
                }
                return Err(vec![fault]);
            }
        }
        Ok(Published { left: placed.remove_old().err() })
    }
}

/// Whether a path below the root, with `/`, is something that only a release in progress or a killed one has there. Such paths are no
/// changes that anybody made.
pub(crate) fn is_own(path: &str) -> bool {
    let path = path.trim_end_matches('/');
    match path.split_once('/') {
        Some((BUNDLES, below)) => {
            let name = below.split('/').next().unwrap_or_default();
            below == lock::FILE_NAME || staging::is_leftover(name, BUNDLE_PREFIX)
        }
        Some((name, _)) => staging::is_leftover(name, DIST_PREFIX),
        None => staging::is_leftover(path, DIST_PREFIX),
    }
}

/// The folder that something lies in.
fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("."))
}

/// A failure of the operating system. `action` completes "cannot be …".
fn fault(path: &Path, action: &str, error: &io::Error) -> Fault {
    let advice = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => ": free some space and run it again",
        ErrorKind::FileTooLarge => ": raise the limit of file sizes (`ulimit -f`) and run it again",
        ErrorKind::ReadOnlyFilesystem => ": mount it writable, or release from a clone that is",
        ErrorKind::PermissionDenied => ": give yourself the right to, or release from a clone of your own",
        _ => "",
    };
    Fault::file(path, format!("cannot be {action}: {error}{advice}"))
}

/// Makes sure that the names in a folder outlive a loss of power.
fn sync_folder(folder: &Path) -> Result<(), Fault> {
    if !cfg!(unix) {
        // Folders cannot be opened as files there.
        return Ok(());
    }
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        // A filesystem that cannot do this for folders.
        Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => Ok(()),
        other => other.map_err(|error| fault(folder, "synced to the disk", &error)),
    }
}

/// Gives a file or folder its mode, whatever the umask.
#[cfg(unix)]
fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(mode))
}

/// There are no modes here.
#[cfg(not(unix))]
fn set_mode(_: &File, _: u32) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests;
