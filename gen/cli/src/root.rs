//! The root: the folder under which `bundles/` lies.
//!
//! Fed with the session and `--root`. Read by every command that has a place for its files.
//!
//! Invariants: the same root from wherever in the workspace cargo is called; never guessed where there is no `Cargo.toml`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::fault::Fault;
use crate::session::Session;

/// The root: `--root`, else the workspace around the package that cargo runs or around the current folder.
pub(crate) fn locate(explicit: Option<&Path>, session: &Session<'_>) -> Result<PathBuf, Fault> {
    if let Some(explicit) = explicit {
        let root = session.folder().join(explicit);
        return match fs::metadata(&root) {
            Ok(metadata) if metadata.is_dir() => Ok(root),
            Ok(_) => {
                Err(Fault::file(root, "is no folder, and `--root` needs one: name the folder that `bundles` lies in"))
            }
            Err(error) => Err(Fault::io(root, "used as root", &error)),
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
        Fault::file(start, "has no Cargo.toml, nor has any folder above it: run it inside a package, or name the root with `--root DIR`")
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
