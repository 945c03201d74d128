//! Staging: writes a tree next to its target, complete and synced to the disk before it is renamed. Removes what killed runs left.
//!
//! Invariants: files have mode 0644 and folders 0755, whatever the umask; files are synced when all are written, a folder after its contents.
//! Names are `.release-PROCESS.tmp` in `bundles` and `.dist-PROCESS.tmp` (`.dist-PROCESS-old.tmp`) next to `dist`. Only folders with such names
//! are removed, and symlinks are never followed. A staged tree that is not kept is removed.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::panic;
use std::path::{Path, PathBuf};
use std::thread::{self, ScopedJoinHandle};

use crd_diagnostics::{Diagnostic, fail_on};
use crd_generator::file;
use crd_generator::temporary::Temporary;

use super::{Tree, cannot, set_mode, sync_folder};
use crate::walk;

/// How names begin next to a bundle.
pub(super) const BUNDLE_PREFIX: &str = ".release-";
/// How names begin next to `dist`.
pub(super) const DIST_PREFIX: &str = ".dist-";
const SUFFIX: &str = ".tmp";
/// What comes before that in the name of an old `dist` that could not be exchanged with the new one.
pub(super) const OLD: &str = "-old";

/// How many threads sync files.
const SYNCING: usize = 16;

/// The path where a tree is staged, or with [`OLD`] that of an old one. The process id is for people who find the folder.
pub(super) fn name(folder: &Path, prefix: &str, old: &str) -> PathBuf {
    folder.join(format!("{prefix}{}{old}{SUFFIX}", std::process::id()))
}

/// Whether a name has one of these forms.
pub(super) fn is_leftover(name: &str, prefix: &str) -> bool {
    let process = name.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(SUFFIX));
    process
        .map(|process| process.strip_suffix(OLD).unwrap_or(process))
        .is_some_and(|process| !process.is_empty() && process.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Removes what killed runs left in a folder. No other release works there: the lock is held.
pub(super) fn clear(folder: &Path, prefix: &str) -> Result<(), Vec<Diagnostic>> {
    let mut errors = Vec::new();
    for entry in walk::entries(folder) {
        let entry = entry?;
        if entry.file_type().is_dir() && entry.file_name().to_str().is_some_and(|name| is_leftover(name, prefix)) {
            errors.extend(remove(entry.path()).err());
        }
    }
    fail_on(errors)
}

/// Removes a staged or old folder with its contents; symlinks in it are not followed.
pub(super) fn remove(folder: &Path) -> Result<(), Diagnostic> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            let text =
                format!("is left from another release, and cannot be removed: {error}. Remove it: it is not needed");
            Err(file::error("release::publication", folder, text))
        }
        _ => Ok(()),
    }
}

/// Writes a tree next to its target.
pub(super) fn write(tree: &Tree, folder: PathBuf) -> Result<Temporary, Diagnostic> {
    fs::create_dir(&folder).map_err(|error| cannot(&folder, "made", &error))?;
    let staged = Temporary(folder);
    let folder = &staged.0;
    let mut folders = BTreeSet::new();
    for path in tree.files.keys() {
        folders.extend(Path::new(path).ancestors().skip(1));
    }
    // A folder comes before those in it; the first is the tree itself.
    for below in folders.iter().filter(|below| !below.as_os_str().is_empty()) {
        let path = folder.join(below);
        fs::create_dir(&path).map_err(|error| cannot(&path, "made", &error))?;
    }
    for (path, bytes) in &tree.files {
        let path = folder.join(path);
        write_file(&path, bytes).map_err(|error| cannot(&path, "written", &error))?;
    }
    sync_files(&tree.files.keys().map(|path| folder.join(path)).collect::<Vec<_>>())?;
    for below in folders.iter().rev() {
        // Not `join("")`, which ends in a separator.
        let path = if below.as_os_str().is_empty() { folder.to_owned() } else { folder.join(below) };
        finish_folder(&path)?;
    }
    Ok(staged)
}

fn write_file(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = File::options().write(true).create_new(true).open(path)?;
    file.write_all(bytes)?;
    set_mode(&file, 0o644)
}

/// Syncs files. The disk does many at once in the time of a few. This thread does none, so that its calls are the same in each run.
fn sync_files(paths: &[PathBuf]) -> Result<(), Diagnostic> {
    let sync = |path: &PathBuf| {
        let synced = File::options().write(true).open(path).and_then(|file| file.sync_all());
        synced.map_err(|error| cannot(path, "synced to the disk", &error))
    };
    let each = |share: &[PathBuf]| share.iter().try_for_each(sync);
    thread::scope(|scope| {
        let shares = paths.chunks(paths.len().div_ceil(SYNCING).max(1)).map(|share| {
            let thread = thread::Builder::new().spawn_scoped(scope, move || each(share));
            (share, thread)
        });
        let threads = shares.collect::<Vec<_>>();
        threads.into_iter().try_for_each(|(share, thread)| match thread.map(ScopedJoinHandle::join) {
            Ok(synced) => synced.unwrap_or_else(|panic| panic::resume_unwind(panic)),
            Err(_) => each(share),
        })
    })
}

fn finish_folder(path: &Path) -> Result<(), Diagnostic> {
    if cfg!(unix) {
        File::open(path)
            .and_then(|folder| set_mode(&folder, 0o755))
            .map_err(|error| cannot(path, "given its mode", &error))?;
    }
    sync_folder(path)
}
