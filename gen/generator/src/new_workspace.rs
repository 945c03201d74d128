//! New workspaces: their files on disk, and their dependencies on this project.
//!
//! Invariants: either all files are written or none. An existing file is never replaced, and no symlink is followed. Files that a killed run
//! has written stay.

use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::workspace::{Dependencies, NewFile};
use crd_diagnostics::Diagnostic;
use crd_diagnostics::layout::count;

use crate::file;
use crate::locked_folder::LockedFolder;
use crate::session::Session;
use crate::transaction::Transaction;

/// Whether a folder has files, apart from its repository.
pub fn has_others(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.flatten().any(|entry| entry.file_name() != ".git")
}

/// Writes all files, or none.
pub fn write(folder: &Path, files: &[NewFile], session: &mut Session<'_>) -> Result<(), Vec<Diagnostic>> {
    let mut locked = LockedFolder::lock(folder, folder, session)?;
    let mut existing = Vec::new();
    let mut missing = Vec::new();
    let is_whole = files.iter().all(|file| folder.join(&file.path).exists());
    for NewFile { path, text } in files {
        let target = folder.join(path);
        if target.symlink_metadata().is_err() {
            missing.push((target, text));
        } else if is_whole || !file::existing(&target).is_ok_and(|old| old.as_deref() == Some(text.as_bytes())) {
            existing.push(path);
        }
    }
    if let Some((first, others)) = existing.split_first() {
        let predicate = match others.len() {
            0 => "exists, and `new` replaces no file".to_owned(),
            others => format!("and {} that `new` writes exist, and it replaces no file", count(others, "other file")),
        };
        let error = file::error("new::exists", folder.join(first), predicate);
        return Err(error.help("name a new folder, or move the files away").into());
    }
    let mut transaction = Transaction::new(&mut locked);
    for (target, text) in missing {
        transaction.write(target, None, text)?;
    }
    transaction.commit()
}

/// Dependencies on a git repository.
pub fn of_repository(url: &str) -> Dependencies {
    let source = format!("git = \"{}\"", url.escape_default());
    Dependencies { types: source.clone(), command_line: source.clone(), generator: source }
}

/// Dependencies of a workspace on a clone in this folder, by relative paths, and whether they leave the repository of the workspace.
pub fn of_clone(clone: &Path, workspace: &Path) -> Result<(Dependencies, bool), Diagnostic> {
    let workspace = canonical(workspace);
    // From a folder of the workspace.
    let found = |package: &str, up: &str| {
        let folder = clone.join("gen").join(package);
        let found = match folder.canonicalize() {
            Err(error) => Err(file::cannot(&folder, "used as a dependency", &error)),
            Ok(target) if target.join("Cargo.toml").is_file() => Ok(Path::new(up).join(relative(&workspace, &target))),
            Ok(_) => Err(file::error("file::root", &folder, "has no `Cargo.toml`")),
        };
        found
            .map(|path| format!("path = \"{}\"", path.display().to_string().escape_default()))
            .map_err(|error| error.help("name the folder of a clone of CRD channels"))
    };
    let dependencies = Dependencies {
        types: found("channels", "..")?,
        command_line: found("cli", "..")?,
        generator: found("generator", "../..")?,
    };
    let is_repository = |folder: &&Path| folder.join(".git").exists();
    let repository = workspace.ancestors().find(is_repository).unwrap_or(&workspace);
    Ok((dependencies, !canonical(clone).starts_with(repository)))
}

/// A path without symlinks. The end of it need not exist yet.
fn canonical(path: &Path) -> PathBuf {
    let existing = path.ancestors().find_map(|folder| Some((folder, folder.canonicalize().ok()?)));
    existing.map_or_else(|| path.to_owned(), |(folder, real)| real.join(path.strip_prefix(folder).unwrap_or(path)))
}

/// A path from a folder. Both are canonical.
fn relative(folder: &Path, path: &Path) -> PathBuf {
    let shared = folder.components().zip(path.components()).take_while(|(one, other)| one == other).count();
    let up = folder.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(path.components().skip(shared)).collect()
}
