//! The root: the folder that contains `bundles/` and the settings.
//!
//! Invariants: the root is the same from every folder of the workspace. Without settings and without a `Cargo.toml` it is not guessed.

use std::fs;
use std::path::{Path, PathBuf};

use crd_diagnostics::Diagnostic;
use crd_generate::settings::FILE_NAME;

use crate::file;
use crate::session::Session;

/// The folder of all bundles, in the root.
pub const BUNDLES: &str = "bundles";

/// The root: `--root`, else the folder of the settings or the workspace around the package that cargo runs or around the current folder.
pub fn locate(explicit: Option<&Path>, session: &Session<'_>) -> Result<PathBuf, Diagnostic> {
    if let Some(explicit) = explicit {
        let root = session.folder.join(explicit);
        return match fs::metadata(&root) {
            Ok(metadata) if metadata.is_dir() => Ok(root),
            Ok(_) => {
                Err(file::error("file::root", root, "is not a folder").help("name the folder that contains `bundles`"))
            }
            Err(error) => Err(file::cannot(root, "used as root", &error)),
        };
    }
    let start = session.start();
    let mut nearest = None;
    for folder in start.ancestors() {
        // Settings that cannot be read are reported by their reader.
        if folder.join(FILE_NAME).symlink_metadata().is_ok() {
            return Ok(folder.to_path_buf());
        }
        let Ok(manifest) = fs::read_to_string(folder.join("Cargo.toml")) else { continue };
        if is_workspace(&manifest) {
            return Ok(folder.to_path_buf());
        }
        nearest = nearest.or(Some(folder));
    }
    nearest.map(Path::to_path_buf).ok_or_else(|| {
        file::error(
            "file::root",
            start,
            "is not in a project: it has no `crd-channels.yaml` and no `Cargo.toml`, and no folder above it has one",
        )
        .help("run the command inside a package, or name the root with `--root DIR`")
    })
}

/// The root, if there is one. A root that the user names must exist.
pub fn if_any(explicit: Option<&Path>, session: &Session<'_>) -> Result<Option<PathBuf>, Diagnostic> {
    match (locate(explicit, session), explicit) {
        (Err(error), Some(_)) => Err(error),
        (located, _) => Ok(located.ok()),
    }
}

/// Whether a manifest has a table `workspace`. A TOML parser would be a dependency for this alone.
fn is_workspace(manifest: &str) -> bool {
    manifest.lines().map(str::trim_start).any(|line| line.starts_with("[workspace]") || line.starts_with("[workspace."))
}

#[cfg(test)]
mod tests {
    use super::is_workspace;

    #[test]
    fn a_workspace_has_its_table() {
        assert!(is_workspace("[package]\nname = \"a\"\n\n[workspace] # of its own\n"));
        assert!(is_workspace("  [workspace.package]\nedition = \"2024\"\n"));
        assert!(!is_workspace("[package]\nedition.workspace = true\n[lints]\nworkspace = true\n# [workspace]\n"));
    }
}
