//! The root: the folder under which `bundles/` lies.
//!
//! Invariants: the same root from wherever in the workspace cargo is called; never guessed where there is no `Cargo.toml`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::file;
use crate::session::Session;
use crd_diagnostics::Diagnostic;

/// The root: `--root`, else the workspace around the package that cargo runs or around the current folder.
pub(crate) fn locate(explicit: Option<&Path>, session: &Session<'_>) -> Result<PathBuf, Diagnostic> {
    if let Some(explicit) = explicit {
        let root = session.folder().join(explicit);
        return match fs::metadata(&root) {
            Ok(metadata) if metadata.is_dir() => Ok(root),
            Ok(_) => {
                Err(file::problem("file::root", root, "is not a folder")
                    .help("name the folder that contains `bundles`"))
            }
            Err(error) => Err(file::cannot(root, "used as root", &error)),
        };
    }
    let start = session.start();
    let mut nearest = None;
    for folder in start.ancestors() {
        let Ok(manifest) = fs::read_to_string(folder.join("Cargo.toml")) else { continue };
        if is_workspace(&manifest) {
            return Ok(folder.to_path_buf());
        }
        nearest = nearest.or(Some(folder));
    }
    nearest.map(Path::to_path_buf).ok_or_else(|| {
        file::problem(
            "file::root",
            start,
            "is not in a Cargo workspace: it has no `Cargo.toml`, and no folder above it has one",
        )
        .help("run the command inside a package, or name the root with `--root DIR`")
    })
}

/// Whether a manifest is that of a workspace. A line tells; reading TOML for it would cost a dependency.
fn is_workspace(manifest: &str) -> bool {
    manifest.lines().map(str::trim_start).any(|line| line.starts_with("[workspace]") || line.starts_with("[workspace."))
}

#[cfg(test)]
mod tests {
    use super::is_workspace;

    #[test]
    fn workspaces_are_known_by_their_table() {
        assert!(is_workspace("[package]\nname = \"a\"\n\n[workspace] # of its own\n"));
        assert!(is_workspace("  [workspace.package]\nedition = \"2024\"\n"));
        assert!(!is_workspace("[package]\nedition.workspace = true\n[lints]\nworkspace = true\n# [workspace]\n"));
    }
}
