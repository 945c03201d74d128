//! New workspaces: their files on disk, and their dependencies on this project.
//!
//! Invariants: either all files are written or none. An existing file is never replaced, and no symlink is followed.

use std::path::Path;

use crd_diagnostics::{Diagnostic, fail_on};
use crd_release::workspace::{Dependencies, NewFile};

use crate::file;
use crate::folder::present;
use crate::locked_folder::LockedFolder;
use crate::session::Session;
use crate::transaction::Transaction;

/// Writes all files, or none.
pub(crate) fn write(folder: &Path, files: &[NewFile], session: &mut Session<'_>) -> Result<(), Vec<Diagnostic>> {
    let mut locked = LockedFolder::lock(folder, folder, session)?;
    let mut errors: Vec<Diagnostic> = Vec::new();
    for NewFile { path, .. } in files {
        let target = folder.join(path);
        if target.symlink_metadata().is_ok() {
            errors.push(file::error("new::exists", target, "exists, and `new` replaces no file"));
        }
    }
    if let Some(last) = errors.last_mut() {
        *last = last.clone().help("name a new folder, or move the file away");
    }
    fail_on(errors)?;
    let mut transaction = Transaction::default();
    for NewFile { path, text } in files {
        let target = folder.join(path);
        let parent = target.parent().unwrap_or(folder);
        present(parent, folder)?;
        locked.make(parent)?;
        transaction.write(target.clone(), text)?;
    }
    transaction.commit()
}

/// Dependencies on a git repository.
pub(crate) fn of_repository(url: &str) -> Dependencies {
    let source = format!("git = \"{}\"", url.escape_default());
    dependencies(&source, &source)
}

/// Dependencies on a clone in this folder.
pub(crate) fn of_clone(clone: &Path) -> Result<Dependencies, Diagnostic> {
    let found = |package: &str| {
        let folder = clone.join("gen").join(package);
        let canonical = folder.canonicalize().map_err(|error| file::cannot(&folder, "used as a dependency", &error))?;
        match canonical.join("Cargo.toml").is_file() {
            true => Ok(format!("path = \"{}\"", canonical.display().to_string().escape_default())),
            false => Err(file::error("file::root", &folder, "has no `Cargo.toml`")),
        }
    };
    let help = |error: Diagnostic| error.help("name the folder of a clone of CRD channels");
    Ok(dependencies(&found("channels").map_err(help)?, &found("cli").map_err(help)?))
}

/// The `xtask` leaves out what talks to clusters, which takes a minute to build.
fn dependencies(types: &str, command_line: &str) -> Dependencies {
    Dependencies {
        types: format!("{{ {types} }}"),
        command_line: format!("{{ {command_line}, default-features = false, features = [\"bundles\"] }}"),
    }
}
