//! The files of suites: those that arguments name, or all below the root.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crd_diagnostics::{Diagnostic, all};
use crd_generate::settings::FILE_NAME;
use crd_generator::session::Session;
use crd_generator::{file, root};
use crd_model::parallel;
use crd_suite::{Suite, file::EXTENSION};

use super::Request;
use crate::{input, walk};

/// No suite, or no case, is found.
pub(super) const NO_SUITES: &str = "suite::none";

/// The key that every suite of OpenShift has.
const OPENSHIFT: &str = "\ncrdName:";

/// Reads the suites, with the cases that are asked for.
pub(super) fn suites(request: &Request<'_>, session: &Session<'_>) -> Result<Vec<Suite>, Vec<Diagnostic>> {
    let mut paths = Vec::new();
    if request.files.is_empty() {
        below(&root(request.root, session)?, false, &mut paths)?;
    }
    for argument in &request.files {
        let path = session.folder.join(argument);
        if path.is_dir() { below(&path, true, &mut paths)? } else { paths.push(path) }
    }
    let from = session.working_folder();
    let mut suites = all(parallel::each(&paths, |path| {
        let text = text(path)?;
        crd_suite::read(&text, from.shown(path))
    }))?;
    if suites.is_empty() {
        let help =
            format!("write a file `NAME{EXTENSION}`; `{} explain suite::file` shows one", session.program.call());
        return Err(Diagnostic::error(NO_SUITES, "no suites are found").help(help).into());
    }
    let Some(filter) = &request.filter else { return Ok(suites) };
    for suite in &mut suites {
        let is_file = suite.file.contains(filter.as_str());
        suite.cases.retain(|case| is_file || case.name.contains(filter.as_str()));
    }
    suites.retain(|suite| !suite.cases.is_empty());
    if suites.is_empty() {
        let message = format!("no case and no file of a suite contains `{filter}`");
        return Err(Diagnostic::error(NO_SUITES, message).help("check the text of `--filter`").into());
    }
    Ok(suites)
}

/// The root; outside a project, the current folder.
pub(super) fn root(explicit: Option<&Path>, session: &Session<'_>) -> Result<PathBuf, Diagnostic> {
    Ok(root::if_any(explicit, session)?.unwrap_or_else(|| session.folder.clone()))
}

/// The text of a file.
pub(super) fn text(path: &Path) -> Result<String, Diagnostic> {
    let missing = |path: &Path| std::fs::metadata(path).err().unwrap_or_else(|| std::io::ErrorKind::NotFound.into());
    input::committed_text(path)?.ok_or_else(|| file::cannot(path, "read", &missing(path)))
}

/// The suites below a folder; with those of OpenShift if it was named.
fn below(folder: &Path, is_named: bool, paths: &mut Vec<PathBuf>) -> Result<(), Diagnostic> {
    let is_wanted = |entry: &walkdir::DirEntry| {
        let name = entry.file_name();
        // A folder with settings of its own is another project.
        let is_other = || entry.depth() > 0 && entry.path().join(FILE_NAME).exists();
        let is_left_out = |folder: &walkdir::DirEntry| folder.file_type().is_dir() && (name == "target" || is_other());
        !name.as_encoded_bytes().starts_with(b".") && !is_left_out(entry)
    };
    for entry in walk::walk(folder, usize::MAX, is_wanted) {
        let entry = entry?;
        let path = entry.path();
        let is_suite = entry.file_name().to_string_lossy().ends_with(EXTENSION);
        let can_be = is_named && path.extension() == Some(OsStr::new("yaml"));
        if entry.file_type().is_file() && (is_suite || can_be && text(path)?.contains(OPENSHIFT)) {
            paths.push(entry.into_path());
        }
    }
    Ok(())
}
