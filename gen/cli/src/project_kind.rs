//! Which files `init` writes: those of a project with Rust types, or those of a project of kubebuilder or operator-sdk, whose types are in Go.
//!
//! Invariant: with `Cargo.toml`, or without `go.mod` and a `PROJECT` of these programs, the files are those of Rust types.

use std::path::{Path, PathBuf};

use crd_diagnostics::Diagnostic;
use crd_generator::init::{FILES, GoProject, InitFile, prefix};
use crd_generator::root;
use crd_generator::session::Session;

use crate::input;

/// The file of kubebuilder.
const PROJECT: &str = "PROJECT";
/// Where types may be, those of one group first. Controllers are elsewhere.
const TYPES: [&str; 3] = ["api", "apis", "pkg/apis"];

/// The root of a project that may not have settings yet.
pub(crate) fn root(explicit: Option<&Path>, session: &Session<'_>) -> Result<PathBuf, Diagnostic> {
    root::locate(explicit, session).or_else(|error| {
        let start = session.start();
        let with_go = explicit.is_none().then(|| start.ancestors().find(|folder| has_go_project(folder))).flatten();
        with_go.map(Path::to_path_buf).ok_or(error)
    })
}

fn has_go_project(folder: &Path) -> bool {
    let has = |name: &str| folder.join(name).is_file();
    has("go.mod") && has(PROJECT) && !has("Cargo.toml")
}

/// The files of the project in a root.
pub(crate) fn files(root: &Path) -> Result<Vec<InitFile>, Diagnostic> {
    let path = root.join(PROJECT);
    let project = if has_go_project(root) { input::committed_text(&path)? } else { None };
    let prefix = prefix(&project.unwrap_or_default()).map_err(|problem| Diagnostic::of_file(problem, &path))?;
    let Some(prefix) = prefix else { return Ok(FILES.to_vec()) };
    let types = TYPES.into_iter().find(|folder| root.join(folder).is_dir()).unwrap_or(TYPES[0]);
    let makefile = input::committed_text(&root.join("Makefile"))?.unwrap_or_default();
    Ok(GoProject { prefix, types, makefile: &makefile }.files())
}
